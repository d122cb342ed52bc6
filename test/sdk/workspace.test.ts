import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type HostMount,
  type WorkspaceOptions,
  ClaudeAgentWorkspaceSection,
  createStopHook,
  Session,
  todoValidator,
  validateCompletion,
} from "../../src/sdk/index.ts";

let host = "";
let workspaces: ClaudeAgentWorkspaceSection[] = [];

beforeEach(() => {
  host = mkdtempSync(join(tmpdir(), "sdk-host-"));
});

afterEach(() => {
  for (const workspace of workspaces) workspace.cleanup();
  workspaces = [];
  rmSync(host, { recursive: true });
});

test("without mounts is an empty directory that only its owner can enter", () => {
  const workspace = open({});

  expect(readdirSync(workspace.tempDir)).toEqual([]);
  expect(statSync(workspace.tempDir).mode & 0o777).toBe(0o700);
  expect(workspace.mountPreviews).toEqual([]);
  expect(workspace.createdAt).toBeInstanceOf(Date);
});

test("copies a directory under its own name", () => {
  write({ "repo/a.txt": "a", "repo/src/b.txt": "bb" });

  const workspace = open({ mounts: [{ hostPath: join(host, "repo") }] });

  expect(files(workspace)).toEqual({ "repo/a.txt": "a", "repo/src/b.txt": "bb" });
  expect(workspace.mountPreviews).toEqual([
    {
      hostPath: join(host, "repo"),
      resolvedHost: join(host, "repo"),
      mountPath: "repo",
      isDirectory: true,
      bytesCopied: 3,
      entries: ["a.txt", "src/"],
      entryCount: 2,
      skipped: [],
    },
  ]);
});

test.each([
  ["code", "code/a.txt"],
  ["deep/er", "deep/er/a.txt"],
  ["x/../code/", "code/a.txt"],
  [".", "a.txt"],
])("copies a directory to the mount path %s", (mountPath, file) => {
  write({ "repo/a.txt": "a" });

  expect(files(open({ mounts: [{ hostPath: join(host, "repo"), mountPath }] }))).toEqual({ [file]: "a" });
});

test("copies a single file", () => {
  write({ "notes.md": "hi" });

  const workspace = open({ mounts: [{ hostPath: join(host, "notes.md"), mountPath: "docs/n.md" }] });

  expect(files(workspace)).toEqual({ "docs/n.md": "hi" });
  expect(workspace.mountPreviews[0]).toMatchObject({
    isDirectory: false,
    bytesCopied: 2,
    entries: ["notes.md"],
  });
});

test("keeps modes and times", () => {
  write({ "repo/run.sh": "#!/bin/sh" });
  chmodSync(join(host, "repo/run.sh"), 0o754);
  utimesSync(join(host, "repo/run.sh"), 1_000_000, 1_000_000);

  const copy = statSync(join(open({ mounts: [{ hostPath: join(host, "repo") }] }).tempDir, "repo/run.sh"));

  expect(copy.mode & 0o777).toBe(0o754);
  expect(copy.mtimeMs).toBe(1_000_000_000);
});

test("leaves the host's files alone", () => {
  write({ "repo/a.txt": "a" });
  const workspace = open({ mounts: [{ hostPath: join(host, "repo") }] });

  writeFileSync(join(workspace.tempDir, "repo/a.txt"), "changed");

  expect(readFileSync(join(host, "repo/a.txt"), "utf8")).toBe("a");
});

test.each<[string, Partial<HostMount>, string[]]>([
  ["includes by a pattern whose star crosses directories", { includeGlob: ["*.py"] }, ["a.py", "src/b.py"]],
  ["excludes by a pattern", { excludeGlob: ["src/*"] }, ["a.py", "c.txt"]],
  ["excludes before it includes", { includeGlob: ["*.py"], excludeGlob: ["src/*"] }, ["a.py"]],
  ["includes by any of several patterns", { includeGlob: ["?.txt", "src/b.*"] }, ["c.txt", "src/b.py"]],
  ["includes nothing when nothing matches", { includeGlob: ["*.rs"] }, []],
])("%s", (_, globs, expected) => {
  write({ "repo/a.py": "", "repo/c.txt": "", "repo/src/b.py": "", "repo/src/deep/d.txt": "" });

  const workspace = open({ mounts: [{ hostPath: join(host, "repo"), mountPath: ".", ...globs }] });

  expect(Object.keys(files(workspace))).toEqual(expected);
});

test("does not copy its own directory into itself", () => {
  write({ "a.txt": "a" });
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = host;
  try {
    const workspace = open({ mounts: [{ hostPath: host, mountPath: "all" }] });

    expect(dirname(workspace.tempDir)).toBe(host);
    expect(files(workspace)).toEqual({ "all/a.txt": "a" });
  } finally {
    process.env["TMPDIR"] = before ?? "";
    if (before === undefined) delete process.env["TMPDIR"];
  }
});

test("follows the link that a host path is", () => {
  write({ "real/a.txt": "a" });
  symlinkSync(join(host, "real"), join(host, "link"));

  const workspace = open({ mounts: [{ hostPath: join(host, "link") }] });

  expect(files(workspace)).toEqual({ "link/a.txt": "a" });
  expect(workspace.mountPreviews[0]?.resolvedHost).toBe(join(host, "real"));
});

test("follows links to files inside the mount when asked to, never links to directories", () => {
  write({ "repo/a.txt": "a", "repo/src/b.txt": "b" });
  symlinkSync("a.txt", join(host, "repo/link.txt"));
  symlinkSync("src", join(host, "repo/dir"));
  symlinkSync("nowhere", join(host, "repo/broken"));

  const workspace = open({
    mounts: [{ hostPath: join(host, "repo"), mountPath: ".", followSymlinks: true }],
  });

  expect(files(workspace)).toEqual({ "a.txt": "a", "link.txt": "a", "src/b.txt": "b" });
  expect(workspace.mountPreviews[0]?.skipped).toEqual(["broken", "dir"]);
});

test("skips links by default and says which", () => {
  write({ "repo/a.txt": "a" });
  symlinkSync("a.txt", join(host, "repo/link.txt"));

  const workspace = open({ mounts: [{ hostPath: join(host, "repo"), mountPath: "." }] });

  expect(files(workspace)).toEqual({ "a.txt": "a" });
  expect(workspace.mountPreviews[0]?.skipped).toEqual(["link.txt"]);
});

test("refuses two mounts at the same place", () => {
  write({ "a/x.txt": "", "b/x.txt": "" });
  const mounts = ["a", "b"].map((name) => ({ hostPath: join(host, name), mountPath: "same" }));

  expect(() => open({ mounts })).toThrow("Two mounts have the mount path 'same'.");
});

test("describes its mounts, at most ten names of each", () => {
  const names = Array.from({ length: 25 }, (_, index) => `f${String(index).padStart(2, "0")}`);
  write(Object.fromEntries(names.map((name) => [`repo/${name}`, "1234"])));
  write({ "notes.md": "hi" });

  const workspace = open({
    mounts: [{ hostPath: join(host, "repo") }, { hostPath: join(host, "notes.md") }],
  });

  expect(workspace.mountPreviews[0]?.entries).toHaveLength(20);
  expect(workspace).toMatchObject({ key: "claude-agent-workspace", title: "Workspace" });
  expect(workspace.render()).toMatchInlineSnapshot(`
    "## Workspace

    Your working directory holds copies of these files:

    - repo/ (100 bytes)
      - f00
      - f01
      - f02
      - f03
      - f04
      - f05
      - f06
      - f07
      - f08
      - f09
      - ... and 15 more
    - notes.md (2 bytes)

    Total: 102 bytes"
  `);
});

test("describes an empty workspace", () => {
  expect(open({}).render()).toBe("## Workspace\n\nYour working directory is empty.");
});

test("cleanup removes the directory, once or twice", () => {
  const workspace = open({});

  workspace.cleanup();
  workspace.cleanup();

  expect(existsSync(workspace.tempDir)).toBe(false);
});

test("a clone shares the directory until both are cleaned up", () => {
  write({ "repo/a.txt": "a" });
  const workspace = open({ mounts: [{ hostPath: join(host, "repo") }], completionValidator: todoValidator });
  const session = new Session();

  const clone = workspace.clone({ session });
  workspace.cleanup();
  workspace.cleanup();

  expect(clone).toMatchObject({ session, tempDir: workspace.tempDir, createdAt: workspace.createdAt });
  expect(clone.tools).toHaveLength(1);
  expect(files(clone)).toEqual({ "repo/a.txt": "a" });
  clone.cleanup();
  expect(existsSync(workspace.tempDir)).toBe(false);
});

test("has the reserved tool exactly when it has a validator", () => {
  expect(open({}).tools).toEqual([]);
  expect(open({ completionValidator: validateCompletion }).tools).toMatchObject([
    { name: "validate_completion", handler: validateCompletion },
  ]);
});

test("its hook context carries session, validator, budget and directory", async () => {
  const asked: unknown[] = [];
  const workspace = open({
    maxStopRetries: 1,
    completionValidator: (_, { context }) => {
      asked.push(context.session, context.cwd);
      return { message: "", value: { complete: false, reason: "no" } };
    },
  });
  const context = workspace.hookContext();

  const answer = await createStopHook(context)({ hook_event_name: "Stop", cwd: "/elsewhere" }, undefined, {
    signal: new AbortController().signal,
  });

  expect(answer).toEqual({ decision: "block", reason: "no" });
  expect(asked).toEqual([workspace.session, workspace.tempDir]);
  expect(context.maxStopRetries).toBe(1);
});

test("blocks three times by default", () => {
  expect(open({}).hookContext().maxStopRetries).toBe(3);
});

test("refuses a wrong budget before it makes a directory", () => {
  expect(() => open({ maxStopRetries: -1 })).toThrow(RangeError);
});

function open(options: Omit<WorkspaceOptions, "session">): ClaudeAgentWorkspaceSection {
  const workspace = new ClaudeAgentWorkspaceSection({ session: new Session(), ...options });
  workspaces.push(workspace);
  return workspace;
}

function write(contents: Record<string, string>): void {
  for (const [path, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(host, path)), { recursive: true });
    writeFileSync(join(host, path), content);
  }
}

function files({ tempDir }: ClaudeAgentWorkspaceSection): Record<string, string> {
  const found = readdirSync(tempDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(tempDir.length + 1))
    .toSorted();
  return Object.fromEntries(found.map((path) => [path, readFileSync(join(tempDir, path), "utf8")]));
}
