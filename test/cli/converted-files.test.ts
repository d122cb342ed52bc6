import { utimesSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

/** How git is told to keep something else than the bytes of `a.txt`, and two contents of one size of which it keeps the same. */
interface Conversion {
  readonly tell: (project: GauntletProject) => Promise<unknown>;
  readonly good: Buffer;
  readonly bad: Buffer;
}

function attributes(text: string): Conversion["tell"] {
  return (project) => project.write({ ".gitattributes": `*.txt ${text}\n` });
}

const CR_MOVED = { good: Buffer.from("one\r\ntwo\n"), bad: Buffer.from("one\ntwo\r\n") };
const LITTLE = Buffer.from("\uFEFFone\n", "utf16le");
const BIG = Buffer.from(LITTLE).swap16();

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  "text=auto": { tell: attributes("text=auto"), ...CR_MOVED },
  text: { tell: attributes("text"), ...CR_MOVED },
  "eol=crlf": { tell: attributes("eol=crlf"), ...CR_MOVED },
  "crlf, as git called it before": { tell: attributes("crlf"), ...CR_MOVED },
  ident: { tell: attributes("ident"), good: Buffer.from("$Id: one $\n"), bad: Buffer.from("$Id: two $\n") },
  "working-tree-encoding": { tell: attributes("working-tree-encoding=UTF-16"), good: LITTLE, bad: BIG },
  "an attribute of our own": {
    tell: (project) => project.write({ ".gitattributes": "[attr]ours text\n*.txt ours\n" }),
    ...CR_MOVED,
  },
  ".git/info/attributes": {
    tell: (project) => project.write({ ".git/info/attributes": "*.txt text\n" }),
    ...CR_MOVED,
  },
  "core.attributesFile": {
    tell: async (project) => {
      await project.write({ "../attributes": "*.txt text\n" });
      await project.git("config", "core.attributesFile", join(project.root, "../attributes"));
    },
    ...CR_MOVED,
  },
  "core.autocrlf": { tell: (project) => project.git("config", "core.autocrlf", "input"), ...CR_MOVED },
  "core.autocrlf of the user": {
    tell: (project) => project.write({ "../home/.gitconfig": "[core]\n\tautocrlf = input\n" }),
    ...CR_MOVED,
  },
  "core.autocrlf in a file that is included": {
    tell: async (project) => {
      await project.write({
        "../home/.gitconfig": "[include]\n\tpath = more\n",
        "../home/more": "[core]\n\tautocrlf = input\n",
      });
    },
    ...CR_MOVED,
  },
};

/** A project whose one gate wants the good content, which has passed. */
async function passed(
  { tell, good }: Conversion,
  more: Readonly<Record<string, string>> = {},
): Promise<GauntletProject> {
  const project = await GauntletProject.create({ ...more });
  await tell(project);
  await writeFile(join(project.root, "../good"), good);
  await writeFile(join(project.root, "a.txt"), good);
  await project.write({ ".gauntlet/config.yml": "checks: { same: cmp ../good a.txt }\n" });
  await project.commit("start");
  await project.write({ "b.md": "1" });
  expect((await project.stop()).answer.status).toBe("passed");
  return project;
}

/** More than are looked at without git. */
const MANY = Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [`many/${at % 20}/${at}.md`, ""]));

describe.for([
  ["few files", {}],
  ["many files", MANY],
] as const)("an edit that git takes back, among %s, is judged after a pass, with", ([, more]) => {
  test.for(Object.entries(CONVERSIONS))("%s", async ([, conversion]) => {
    await using project = await passed(conversion, more);
    await writeFile(join(project.root, "a.txt"), conversion.bad);
    expect(await project.git("status", "--porcelain", "a.txt")).toBe("");

    const { answer } = await project.stop();
    const verified = await project.gauntlet(["verify"]);

    expect(answer.status).toBe("failed");
    expect(verified.exitCode).toBe(1);
  });
});

describe("an edit that git takes back calls for the gates of its entry point", () => {
  const CONFIG = `base_branch: main
entry_points:
  - { path: src, checks: [same] }
  - { path: docs, checks: [docs] }
checks:
  same: "printf 'one\\r\\ntwo\\n' | cmp - a.txt"
  docs: "true"
`;
  const GOOD = "one\r\ntwo\n";
  const BAD = "one\ntwo\r\n";

  async function project(): Promise<GauntletProject> {
    const made = await GauntletProject.create({
      ".gauntlet/config.yml": CONFIG,
      ".gitattributes": "* text=auto\n",
      "src/a.txt": GOOD,
      "docs/a.md": "1\n",
    });
    await made.commit("start");
    await made.git("switch", "--quiet", "--create", "work");
    await made.write({ "docs/a.md": "2\n" });
    expect((await made.gauntlet(["run"])).exitCode).toBe(0);
    return made;
  }

  test("beside another change", async () => {
    await using made = await project();
    await made.write({ "src/a.txt": BAD });

    const ran = await made.gauntlet(["run"]);
    const { answer } = await made.stop();

    expect(ran.exitCode).toBe(1);
    expect(answer.status).toBe("failed");
  });

  test("after it was staged, too", async () => {
    await using made = await project();
    await made.write({ "src/a.txt": "one\ntwo\n" });
    await made.git("add", "src/a.txt");

    expect((await made.stop()).answer.status).toBe("failed");
  });

  test("when nothing else has changed", async () => {
    await using made = await project();
    await made.commit("all");
    await made.git("branch", "--force", "main");
    await made.write({ "src/a.txt": BAD });

    expect((await made.stop()).answer.status).toBe("failed");
    expect((await made.stop()).answer.status).toBe("failed");
  });

  test("below the top of the repository", async () => {
    await using repository = await GauntletProject.create({ ".gitattributes": "* text=auto\n" });
    const made = repository.at("app");
    await made.write({ ".gauntlet/config.yml": CONFIG, "src/a.txt": GOOD, "docs/a.md": "1\n" });
    await repository.commit("start");
    await repository.git("switch", "--quiet", "--create", "work");
    await made.write({ "docs/a.md": "2\n" });
    await made.stop();
    await made.write({ "src/a.txt": BAD });

    expect((await made.stop()).answer.status).toBe("failed");
  });

  test("and no longer once it is undone", async () => {
    await using made = await project();
    await made.write({ "src/a.txt": BAD });
    await made.stop();
    await made.write({ "src/a.txt": GOOD });

    expect((await made.stop()).answer.status).toBe("passed");
    expect((await made.stop()).answer.message).toContain("nothing changed since");
  });
});

async function withTextAuto(checks: string, more = {}): Promise<GauntletProject> {
  const made = await GauntletProject.create({
    ".gauntlet/config.yml": `checks: ${checks}\n`,
    ".gitattributes": "* text=auto\n",
    "a.txt": "one\n",
    ...more,
  });
  await made.commit("start");
  await made.write({ "b.md": "1\n" });
  return made;
}

describe("with `* text=auto`, a pass is used again", () => {
  test.for([
    ["few files", {}],
    ["many files", MANY],
  ] as const)("after a file was written with the same content, among %s", async ([, more]) => {
    await using made = await withTextAuto('{ ok: "true" }', more);
    await made.stop();
    await made.write({ "a.txt": "one\n" });

    expect((await made.stop()).answer.message).toContain("nothing changed since");
    expect((await made.gauntlet(["verify"])).exitCode).toBe(0);
  });

  test("where a gate writes what was there before", async () => {
    await using made = await withTextAuto('{ generate: "echo one > a.txt", ok: "true" }');
    const { answer } = await made.stop();

    expect(answer.status).toBe("passed");
    expect((await made.stop()).answer.message).toContain("nothing changed since");
  });

  test("and files that passed some time ago are verified", async () => {
    await using made = await withTextAuto('{ ok: "true" }');
    await made.stop();
    await made.write({ "a.txt": "two\n" });
    await made.stop();
    await made.write({ "a.txt": "one\n" });

    expect((await made.gauntlet(["verify"])).exitCode).toBe(0);
  });
});

describe("verify asks for the files as they are, not as git keeps them", () => {
  const CONVERTING = { ".gitattributes": "* text=auto\n", "a.txt": "one\ntwo\n" };

  test.each([
    ["LF became CRLF", "one\ntwo\n", "one\r\ntwo\r\n"],
    ["CRLF became LF", "one\r\ntwo\r\n", "one\ntwo\n"],
    ["a CR was moved", "one\r\ntwo\n", "one\ntwo\r\n"],
  ])("%s", async (_, before, after) => {
    await using project = await GauntletProject.withChecks(
      { ok: "true" },
      { ...CONVERTING, "a.txt": before },
    );
    await project.write({ "b.md": "1\n" });
    await project.gauntlet(["run"]);
    const passes = await project.gauntlet(["verify"]);
    await project.write({ "a.txt": after });

    const other = await project.gauntlet(["verify"]);
    const run = await project.gauntlet(["verify", "--run"]);

    expect(passes.exitCode).toBe(0);
    expect(other).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("git keeps the same of both") as string,
    });
    expect(run.exitCode).toBe(0);
  });

  test("of a commit, what git keeps is all there is", async () => {
    await using project = await GauntletProject.withChecks(
      { ok: "true" },
      { ...CONVERTING, "a.txt": "one\r\n" },
    );
    await project.write({ "b.md": "1\n" });
    await project.gauntlet(["run"]);
    await project.commit("done");

    expect((await project.gauntlet(["verify", "HEAD"])).exitCode).toBe(0);
  });
});

test("a file that is written again beside a filter, and one that only has another time, are told apart", async () => {
  await using project = await GauntletProject.withChecks(
    { ok: "true" },
    { ".gitattributes": "*.bin filter=same\n", "a.txt": "one\n", "a.bin": "one\n" },
  );
  await project.git("config", "filter.same.clean", "cat");
  await project.write({ "b.md": "1\n" });
  await project.stop();
  utimesSync(join(project.root, "a.txt"), 1, 1);
  const text = (await project.stop()).answer.message;
  await appendFile(join(project.root, "a.bin"), "");
  utimesSync(join(project.root, "a.bin"), 1, 1);
  const filtered = (await project.stop()).answer.message;

  expect(text).toContain("nothing changed since");
  expect(filtered).not.toContain("nothing changed since");
});

test("after giving up, other line endings are tried, although git keeps the same of both", async () => {
  await using project = await withTextAuto(`{ same: "printf 'one\\r\\n' | cmp - a.txt" }\nmax_retries: 0`);
  const first = (await project.stop()).answer;
  const same = (await project.stop()).answer;
  await project.write({ "a.txt": "one\r\n" });
  await project.git("add", "a.txt");

  expect([first.status, same.status]).toEqual(["retry_limit_exceeded", "retry_limit_exceeded"]);
  expect((await project.stop()).answer.status).toBe("passed");
});
