import { expect, test } from "vitest";
import { installClaudeCode, runClaudeCode } from "../rig/claude-code.ts";
import { GauntletProject } from "../rig/gauntlet-project.ts";
import { beginnings, fileAtStart } from "../rig/state-files.ts";

const claude = await installClaudeCode();

test("the start of a session is recorded before the model works, and stays when the session is resumed", async ({
  skip,
}) => {
  if (!claude.ok) return skip(claude.reason);
  await using project = await GauntletProject.withChecks({ state: "! grep broken state.txt" });
  await project.write({ "state.txt": "by the user\n" });
  await project.gauntlet(["install", "--host", "claude-code"]);
  const { home, root } = project;
  const at = { bin: claude.bin, project: root, home };
  const commit = "echo broken > state.txt && git add -A && git commit -qm done";
  const env = { GIT_AUTHOR_NAME: "T", GIT_AUTHOR_EMAIL: "t@example.com" };
  const committer = { GIT_COMMITTER_NAME: "T", GIT_COMMITTER_EMAIL: "t@example.com" };
  const toolUse = { name: "Bash", input: { command: commit, description: "commit" } };

  const first = await runClaudeCode({
    ...at,
    turns: [{ toolUse }, "Done.", "Nothing to do."],
    env: { ...env, ...committer },
  });
  const [began] = beginnings(project);
  const resumed = await runClaudeCode({
    ...at,
    turns: ["Still here."],
    args: ["--resume", first.sessionId ?? ""],
  });

  expect(first.hooks.find(({ event }) => event === "SessionStart")).toMatchObject({
    exitCode: 0,
    stdout: "",
  });
  expect(first.requests.map(({ body }) => JSON.stringify(body)).join()).not.toContain("session-start");
  expect(began && (await fileAtStart(project, began, "state.txt"))).toBe("by the user\n");
  expect(answers(first)).toEqual(["failed", "stop_hook_active"]);
  expect(resumed.hooks.some(({ event }) => event === "SessionStart")).toBe(true);
  expect(beginnings(project)).toEqual([began]);
});

type Session = Awaited<ReturnType<typeof runClaudeCode>>;

function answers({ hooks }: Session): readonly string[] {
  const stops = hooks.filter(({ event }) => event === "Stop");
  return stops.map(({ stdout }) => (JSON.parse(stdout) as { status: string }).status);
}
