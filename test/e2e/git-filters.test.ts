import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { whyNoProgram } from "../rig/servers.ts";

interface Filter {
  readonly program: string;
  readonly setUp: (project: GauntletProject) => Promise<unknown>;
  readonly attributes: string;
}

const FILTERS: readonly Filter[] = [
  {
    program: "git-lfs",
    setUp: (project) => project.git("lfs", "install", "--local"),
    attributes: "filter=lfs diff=lfs merge=lfs -text",
  },
  {
    program: "git-crypt",
    setUp: (project) => project.git("crypt", "init"),
    attributes: "filter=git-crypt diff=git-crypt",
  },
];

describe.each(FILTERS)("$program", ({ program, setUp, attributes }) => {
  test("is asked about every file and leaves nothing in .git; a pass is known again, an edit is not", async ({
    skip,
  }) => {
    const missing = await whyNoProgram(program, program);
    skip(missing !== undefined, missing);
    await using project = await GauntletProject.create({
      ".gauntlet/config.yml": "checks: { words: '! grep -q BAD a.bin' }\n",
      ".gitattributes": `*.bin ${attributes}\n`,
      "a.bin": "fine\n",
    });
    await setUp(project);
    await project.commit("start");
    await project.write({ "a.bin": "edited\n", "b.bin": "new\n" });
    const before = namesIn(project);

    const first = await project.stop();
    const again = await project.stop();
    await project.write({ "a.bin": "BAD\n" });
    const last = await project.stop();

    expect([first.answer.status, last.answer.status]).toEqual(["passed", "failed"]);
    expect(again.answer.message).toContain("nothing changed");
    expect(namesIn(project)).toEqual(before);
  });
});

function namesIn({ root }: GauntletProject): readonly string[] {
  return readdirSync(join(root, ".git"), { recursive: true, encoding: "utf8" }).toSorted();
}
