import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { typeErrors } from "../rig/type-errors.ts";

const GIVEN = `
import * as sdk from "agent-gauntlet/sdk";
const session = new sdk.Session();
const outcome = { message: "", value: { complete: true, reason: "" } };
`;

const FITS = {
  "a validator may answer at once or later, with a class or a plain object": `
    const now: sdk.CompletionValidator = () => ({ message: "", value: new sdk.ValidationResult({ complete: true, reason: "" }) });
    const later: sdk.CompletionValidator = async (params, { context }) => {
      const [stopReason, toolCount, retryCount]: [string, number, number] = [params.stopReason, params.toolCount, params.retryCount];
      const todos: readonly sdk.Todo[] = context.session.slice(sdk.Todo).all();
      return outcome;
    };
    const both = sdk.compositeValidator(now, later, sdk.todoValidator);`,
  "tools of any kind live in one context": `
    const count: sdk.Tool<{ text: string }, number> = {
      name: "count", description: "Counts", handler: ({ text }) => ({ message: "", value: text.length }) };
    new sdk.HookContext({ session, tools: [count, sdk.validateCompletionTool], logger: console });`,
  "a slice holds what its class makes": `
    class Note { constructor(readonly text: string) {} }
    const text: string | undefined = session.slice(Note).latest()?.text;
    session.slice(Note).seed([new Note("a")]);`,
  "reserved names are literals": `
    const name: "validate_completion" = sdk.VALIDATE_COMPLETION_TOOL_NAME;
    const retries: 3 = sdk.DEFAULT_MAX_STOP_RETRIES;`,
  "a workspace needs nothing but a session": `
    const workspace = new sdk.ClaudeAgentWorkspaceSection({ session });
    const hooks: sdk.AgentHooks = sdk.createHooks(workspace.hookContext({ logger: console }));`,
};

const DOES_NOT_FIT: Readonly<Record<string, readonly [code: string, error: string]>> = {
  "an outcome has a reason": [
    `const validator: sdk.CompletionValidator = () => ({ message: "", value: { complete: true } });`,
    "Property 'reason' is missing",
  ],
  "a result cannot be changed": [
    `new sdk.ValidationResult({ complete: true, reason: "" }).complete = false;`,
    "TS2540: Cannot assign to 'complete' because it is a read-only property",
  ],
  "what a slice hands out cannot be changed": [
    `session.slice(sdk.Todo).all().push(new sdk.Todo({ content: "", status: "pending" }));`,
    "TS2339: Property 'push' does not exist",
  ],
  "a slice takes only its own kind": [
    `session.slice(sdk.Todo).append({ content: "x" });`,
    "TS2345: Argument of type '{ content: string; }' is not assignable to parameter of type 'Todo'",
  ],
  "a todo has one of three states": [
    `new sdk.Todo({ content: "x", status: "done" });`,
    `TS2322: Type '"done"' is not assignable to type 'TodoStatus'`,
  ],
  "a context has a session": [`new sdk.HookContext({});`, "TS2345"],
  "a mount has a host path": [
    `const mount: sdk.HostMount = { mountPath: "x" };`,
    "TS2741: Property 'hostPath' is missing",
  ],
  "only validators can be combined": [`sdk.compositeValidator(() => true);`, "TS2322"],
  "a command has a program": [`sdk.commandValidator({ command: [] });`, "TS2322"],
};

test("the published types accept what is right and refuse what is wrong", () => {
  const wrong = Object.entries(DOES_NOT_FIT).map(([name, [code]]) => [name, code] as const);
  const programs: Record<string, string> = { ...FITS, ...Object.fromEntries(wrong) };

  const errors = typeErrors(
    fileURLToPath(new URL(".", import.meta.url)),
    Object.fromEntries(Object.entries(programs).map(([name, code]) => [name, GIVEN + code])),
  );

  for (const name of Object.keys(FITS)) expect.soft(errors[name], name).toEqual([]);
  for (const [name, [, error]] of Object.entries(DOES_NOT_FIT))
    expect.soft(errors[name], name).toEqual([expect.stringContaining(error)]);
});
