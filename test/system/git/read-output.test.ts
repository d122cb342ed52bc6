import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { parseRawDiff, parseStatus } from "../../../src/system/git/read-output.ts";
import { GauntletProject } from "../../rig/gauntlet-project.ts";
import { runs } from "../../rig/property-runs.ts";
import { openTree } from "../../rig/work-tree.ts";

beforeAll(() => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
  return () => void vi.unstubAllEnvs(); // other files run in this process
});

/** One part of a path: anything a file system takes, strange characters more often than they deserve. */
const segment = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
    fc.string({
      unit: fc.constantFrom(...Array.from(" \t\n\r\"'\\$-*?[]{}:;#!~%→é日👩\u001B\u202E\u0001")),
      minLength: 1,
      maxLength: 8,
    }),
    fc.constantFrom(
      "-",
      "--",
      "...",
      "HEAD",
      "R100",
      "1 .M N...",
      "? x",
      "# branch.oid",
      "gauntlet_logs2",
      "CON",
    ),
  )
  .filter((name) => !/[\0/]/.test(name) && !/^\.{1,2}$|^\.git$/i.test(name))
  .filter((name) => !/git~\d/i.test(name) && !name.includes("\u200C") && Buffer.byteLength(name) < 200);

const tree = fc
  .uniqueArray(fc.array(segment, { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 8,
    selector: ([top]) => top,
  })
  .map((paths) => paths.map((parts) => parts.join("/")));

describe("any file names are reported as git reports them", () => {
  test("untracked, staged and committed", async () => {
    await fc.assert(
      fc.asyncProperty(tree, async (paths) => {
        await using repo = await GauntletProject.create();
        await repo.git("commit", "--quiet", "--allow-empty", "-m", "start");
        for (const path of paths) await write(repo, path);
        const names = paths.toSorted();

        expect(await changed(repo)).toEqual(names.map((name) => `untracked ${name}`));
        await repo.git("add", "--all");
        expect(await changed(repo)).toEqual(names.map((name) => `added ${name}`));
        await repo.git("commit", "--quiet", "-m", "names");
        expect(await changed(repo, "HEAD~1")).toEqual(names.map((name) => `added ${name}`));
        const told = (await repo.git("ls-tree", "-r", "-z", "--name-only", "HEAD")).split("\0").slice(0, -1);
        expect(told.toSorted()).toEqual(names);
      }),
      { numRuns: runs(4) },
    );
  });

  test("any bytes in place of git's answer give an answer, never a crash", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (bytes, prefix) => {
        const output = Buffer.from(bytes);

        expect(parseRawDiff(output)).toBeInstanceOf(Array);
        expect(parseStatus(output, prefix).files).toBeInstanceOf(Array);
      }),
    );
  });
});

describe("git status", () => {
  test.for([
    ["1 .M N... 100644 100644 100644 a a src/a b.ts", "modified", "src/a b.ts"],
    ["1 A. N... 000000 100644 100644 a a new", "added", "new"],
    ["1 AD N... 000000 100644 000000 a a gone again", "deleted", "gone again"],
    ["1 D. N... 100644 000000 000000 a a gone", "deleted", "gone"],
    ["1 .T N... 100644 100644 120000 a a link", "modified", "link"],
    ["u UU N... 100644 100644 100644 100644 a a a both", "unmerged", "both"],
    ["? untracked", "untracked", "untracked"],
  ] as const)("%s", ([line, change, path]) => {
    expect(parseStatus(Buffer.from(`${line}\0`), "").files).toEqual([{ change, path }]);
  });

  test.for([
    ["? a repository/", "untracked", "a repository"],
    ["1 .M S.M. 160000 160000 160000 a a vendor", "modified", "vendor"],
  ] as const)("%s is a separate repository", ([line, change, path]) => {
    const [file] = parseStatus(Buffer.from(`${line}\0`), "").files;

    expect(file).toEqual({ change, path, isRepository: true });
  });

  test("reads branch and commit, and their absence", () => {
    expect(parseStatus(header("abc", "main"), "")).toEqual({ branch: "main", head: "abc", files: [] });
    expect(parseStatus(header("(initial)", "main"), "")).toEqual({ branch: "main", files: [] });
    expect(parseStatus(header("abc", "(detached)"), "")).toEqual({ head: "abc", files: [] });
  });

  test("takes the project's place in the repository off its paths", () => {
    const output = Buffer.from("2 R. N... 100644 100644 100644 a a R100 sub/new\0sub/old\0? sub/x\0");

    expect(parseStatus(output, "sub/").files).toEqual([
      { path: "new", change: "renamed", from: "old" },
      { path: "x", change: "untracked" },
    ]);
  });
});

function header(oid: string, head: string): Buffer {
  return Buffer.from(`# branch.oid ${oid}\0# branch.head ${head}\0`);
}

async function write(repo: GauntletProject, path: string): Promise<void> {
  const file = join(repo.root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, path);
}

async function changed(repo: GauntletProject, base = "HEAD"): Promise<readonly string[]> {
  await using tree = await openTree(repo.root, { base });
  const detected = await tree.changes();
  if (!detected.ok) throw new Error(JSON.stringify(detected.trouble));
  const byPath = detected.value.changes.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return byPath.map(({ change, path }) => `${change} ${path}`);
}
