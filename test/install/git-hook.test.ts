import { expect, test } from "vitest";
import { planGitHook } from "../../src/install/git-hook.ts";

const BEFORE = "#!/bin/sh\necho mine\n";

function withHook(hook: "pre-push" | "pre-commit", command: string, before = BEFORE): string {
  const plan = planGitHook(before, { hook, command, directory: "." });
  return plan.kind === "write" ? plan.text : before;
}

test.for(["pre-push", "pre-commit"] as const)("installing %s again renews the command", (hook) => {
  const dead = withHook(hook, "agent-gauntlet verify");

  const renewed = withHook(hook, "node '/app/$&/agent-gauntlet.cjs' verify", dead);

  expect(renewed).toBe(withHook(hook, "node '/app/$&/agent-gauntlet.cjs' verify"));
  expect(
    planGitHook(renewed, { hook, command: "node '/app/$&/agent-gauntlet.cjs' verify", directory: "." }),
  ).toEqual({
    kind: "present",
  });
});

test.for([
  ["more lines", (text: string) => text.replace("fi\n", "fi\necho verified\n")],
  ["no end", (text: string) => text.replace("# agent-gauntlet: end\n", "")],
] as const)("installing again leaves our lines alone where they have %s", ([, edit]) => {
  const edited = edit(withHook("pre-push", "agent-gauntlet verify"));

  expect(planGitHook(edited, { hook: "pre-push", command: "other verify", directory: "." })).toEqual({
    kind: "present",
  });
});
