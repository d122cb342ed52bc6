import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type HostMount,
  ClaudeAgentWorkspaceSection,
  Session,
  WorkspaceBudgetExceededError,
  WorkspaceSecurityError,
} from "../../../src/sdk/index.ts";

let root = "";
let repo = "";
let temp = "";
const tmpdirBefore = process.env["TMPDIR"];

/** `root/repo` is mounted, `root/secret` must never be read, `root/temp` is where workspaces are made. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sdk-security-"));
  [repo, temp] = [join(root, "repo"), join(root, "temp")];
  for (const name of ["repo", "repo/src", "secret", "temp"]) mkdirSync(join(root, name));
  writeFileSync(join(repo, "a.txt"), "public");
  writeFileSync(join(repo, "src/key"), "public");
  writeFileSync(join(root, "secret/key"), "SECRET");
  process.env["TMPDIR"] = temp;
});

afterEach(() => {
  if (tmpdirBefore === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = tmpdirBefore;
  rmSync(root, { recursive: true });
});

test("refuses a host path outside the allowed roots", () => {
  expect(() => open({ hostPath: join(root, "secret") }, [repo])).toThrow(WorkspaceSecurityError);
  expect(leftovers()).toEqual([]);
});

test("refuses a host path that only begins like an allowed root", () => {
  mkdirSync(join(root, "repo-private"));

  expect(() => open({ hostPath: join(root, "repo-private") }, [repo])).toThrow(WorkspaceSecurityError);
});

test("refuses a host path that leaves its root by ..", () => {
  expect(() => open({ hostPath: `${repo}/../secret` }, [repo])).toThrow(WorkspaceSecurityError);
});

test("refuses a host path that leaves its root by a link", () => {
  symlinkSync(join(root, "secret"), join(repo, "link"));

  expect(() => open({ hostPath: join(repo, "link") }, [repo])).toThrow(WorkspaceSecurityError);
});

test("allows a host path inside a root that is reached by a link", () => {
  symlinkSync(repo, join(root, "alias"));

  expect(open({ hostPath: repo }, [join(root, "alias")])).toContain("public");
});

test("allows nothing when none of the allowed roots is there", () => {
  expect(() => open({ hostPath: repo }, [join(root, "gone")])).toThrow(WorkspaceSecurityError);
});

test("reports a host path that is not there", () => {
  expect(() => open({ hostPath: join(root, "gone") })).toThrow(expect.objectContaining({ code: "ENOENT" }));
  expect(leftovers()).toEqual([]);
});

test.each(["..", "../x", "a/../../x", "/etc", "C:\\x", "\\\\host\\x"])(
  "refuses the mount path %s",
  (mountPath) => {
    expect(() => open({ hostPath: repo, mountPath })).toThrow(
      new WorkspaceSecurityError(`Mount path '${mountPath}' escapes workspace directory.`),
    );
    expect(leftovers()).toEqual([]);
  },
);

test.each([true, false])(
  "copies nothing through links out of the tree (followSymlinks: %s)",
  (followSymlinks) => {
    symlinkSync(join(root, "secret/key"), join(repo, "file-link"));
    symlinkSync(join(root, "secret"), join(repo, "directory-link"));
    symlinkSync("..", join(repo, "src/parent-link"));

    expect(open({ hostPath: repo, followSymlinks })).toEqual(["public", "public"]);
  },
);

test("refuses a file that is swapped for a link during the copy", () => {
  const excludeGlob = patternThatRuns(() => {
    unlinkSync(join(repo, "a.txt"));
    symlinkSync(join(root, "secret/key"), join(repo, "a.txt"));
  });

  expect(() => open({ hostPath: repo, excludeGlob })).toThrow(WorkspaceSecurityError);
  expect(leftovers()).toEqual([]);
});

test("refuses a file whose directory is swapped for a link during the copy", () => {
  const includeGlob = patternThatRuns(() => {
    renameSync(join(repo, "src"), join(root, "moved"));
    symlinkSync(join(root, "secret"), join(repo, "src"));
  }, 2);

  expect(() => open({ hostPath: repo, includeGlob })).toThrow(WorkspaceSecurityError);
  expect(leftovers()).toEqual([]);
});

test("never copies a secret while links and directories are swapped all the time", async () => {
  symlinkSync(join(root, "secret"), join(root, "link"));
  const swapping = new Worker(SWAP_FOREVER, { eval: true, workerData: { root } });
  await once(swapping, "message");

  const attempts = Array.from({ length: 200 }, () => attempt({ hostPath: repo }));
  await swapping.terminate();

  expect(attempts.flat().filter((content) => content !== "public")).toEqual([]);
  expect(leftovers()).toEqual([]);
});

test("skips a pipe without waiting for it", () => {
  execFileSync("mkfifo", [join(repo, "pipe")]);

  expect(open({ hostPath: repo })).toEqual(["public", "public"]);
});

test("refuses a file that is swapped for a pipe during the copy, without waiting for it", () => {
  const excludeGlob = patternThatRuns(() => {
    unlinkSync(join(repo, "a.txt"));
    execFileSync("mkfifo", [join(repo, "a.txt")]);
  });

  expect(() => open({ hostPath: repo, excludeGlob })).toThrow(WorkspaceSecurityError);
  expect(leftovers()).toEqual([]);
});

test("refuses a pipe as the host path", () => {
  execFileSync("mkfifo", [join(root, "pipe")]);

  expect(() => open({ hostPath: join(root, "pipe") })).toThrow(WorkspaceSecurityError);
  expect(leftovers()).toEqual([]);
});

test("skips a socket", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(repo, "socket"), resolve));

  expect(open({ hostPath: repo })).toEqual(["public", "public"]);
  await new Promise((resolve) => server.close(resolve));
});

test("refuses a 10 GB sparse file that is over its budget", () => {
  writeFileSync(join(repo, "huge"), "");
  truncateSync(join(repo, "huge"), 10 * 1024 ** 3);

  expect(() => open({ hostPath: repo, maxBytes: 1024 ** 2 })).toThrow(WorkspaceBudgetExceededError);
  expect(leftovers()).toEqual([]);
});

test.each([
  [12, true],
  [11, false],
  [0, false],
])("a budget of %i for 12 bytes: %s", (maxBytes, fits) => {
  const attempt = (): readonly string[] => open({ hostPath: repo, maxBytes });

  if (fits) expect(attempt()).toEqual(["public", "public"]);
  else expect(attempt).toThrow(WorkspaceBudgetExceededError);
});

test("a budget of zero allows empty files", () => {
  writeFileSync(join(repo, "a.txt"), "");

  expect(open({ hostPath: repo, maxBytes: 0, includeGlob: ["a.txt"] })).toEqual([""]);
});

test.each([-1, Number.NaN])("refuses a budget of %s", (maxBytes) => {
  expect(() => open({ hostPath: repo, maxBytes })).toThrow(RangeError);
});

test("holds a file without a size to its budget", () => {
  expect(() => open({ hostPath: "/proc/cpuinfo", maxBytes: 10 })).toThrow(WorkspaceBudgetExceededError);
  expect(leftovers()).toEqual([]);
});

test("leaves nothing behind when a later mount fails", () => {
  const mounts = [{ hostPath: repo }, { hostPath: join(root, "secret"), maxBytes: 1 }];

  expect(() => new ClaudeAgentWorkspaceSection({ session: new Session(), mounts })).toThrow(
    WorkspaceBudgetExceededError,
  );
  expect(leftovers()).toEqual([]);
});

test("a second mount cannot write over the files of the first", () => {
  const mounts = [
    { hostPath: repo, mountPath: "." },
    { hostPath: join(root, "secret/key"), mountPath: "a.txt" },
  ];

  expect(() => new ClaudeAgentWorkspaceSection({ session: new Session(), mounts })).toThrow(
    expect.objectContaining({ code: "EEXIST" }),
  );
  expect(leftovers()).toEqual([]);
});

/** Makes a workspace with one mount, reads every file in it, and removes it. */
function open(mount: HostMount, allowedHostRoots: readonly string[] = []): readonly string[] {
  const session = new Session();
  const workspace = new ClaudeAgentWorkspaceSection({ session, mounts: [mount], allowedHostRoots });
  const contents = readdirSync(workspace.tempDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  workspace.cleanup();
  return contents;
}

/** A file may also be missing at the moment it is looked for. */
function attempt(mount: HostMount): readonly string[] {
  try {
    return open(mount);
  } catch (error) {
    if (error instanceof WorkspaceSecurityError) return [];
    expect(error).toMatchObject({ code: expect.stringMatching(/^(?:ENOENT|ENOTDIR)$/) as string });
    return [];
  }
}

/** Turns `repo/src` into a link to the secret and back, as fast as it can. */
const SWAP_FOREVER = `
  const { renameSync } = require("node:fs");
  const { parentPort, workerData: { root } } = require("node:worker_threads");
  parentPort.postMessage("started");
  for (;;) {
    renameSync(root + "/repo/src", root + "/parked");
    renameSync(root + "/link", root + "/repo/src");
    renameSync(root + "/repo/src", root + "/link");
    renameSync(root + "/parked", root + "/repo/src");
  }
`;

/** One pattern that matches everything to include, nothing to exclude, and does something when it is looked at. */
function patternThatRuns(action: () => void, atLook = 1): readonly string[] {
  let looks = 0;
  const pattern = Object.defineProperty([""], 0, {
    get() {
      looks += 1;
      if (looks === atLook) action();
      return atLook === 1 ? "no such file" : "*";
    },
  });
  return pattern;
}

function leftovers(): readonly string[] {
  return readdirSync(temp);
}
