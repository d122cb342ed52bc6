import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type CompletionValidator,
  type ToolContext,
  compositeValidator,
  fileOutputValidator,
  Session,
  Todo,
  todoValidator,
  validateCompletion,
  ValidationResult,
} from "../../src/sdk/index.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sdk-validators-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

test("todoValidator blocks while todos remain", async () => {
  const session = new Session();
  const statuses = ["completed", "in_progress", "pending"] as const;
  session.slice(Todo).seed(statuses.map((status) => new Todo({ content: status, status })));

  expect(await ask(todoValidator, { session })).toEqual({
    message: "Incomplete",
    value: new ValidationResult({ complete: false, reason: "2 todos remaining" }),
  });
});

test.each([
  ["no todos", []],
  ["completed todos only", [new Todo({ content: "a", status: "completed" })]],
])("todoValidator is content with %s", async (_, todos) => {
  const session = new Session();
  session.slice(Todo).seed(todos);

  expect(await ask(todoValidator, { session })).toEqual({
    message: "Complete",
    value: new ValidationResult({ complete: true, reason: "All todos done" }),
  });
});

test("compositeValidator answers with the first incomplete result and asks no validator after it", async () => {
  const asked: string[] = [];
  const result = { message: "Incomplete", value: { complete: false, reason: "b" } };
  const a: CompletionValidator = () => {
    asked.push("a");
    return { message: "", value: { complete: true, reason: "a" } };
  };
  const b: CompletionValidator = async () => {
    asked.push("b");
    return Promise.resolve(result);
  };
  const c: CompletionValidator = () => {
    asked.push("c");
    return { message: "", value: { complete: false, reason: "c" } };
  };

  expect(await ask(compositeValidator(a, b, c))).toBe(result);
  expect(asked).toEqual(["a", "b"]);
});

test.each([0, 1, 2])("compositeValidator of %i content validators is content", async (count) => {
  const validators = Array.from({ length: count }, () => validateCompletion);

  expect(await ask(compositeValidator(...validators))).toEqual({
    message: "All checks passed",
    value: new ValidationResult({ complete: true, reason: "All validators passed" }),
  });
});

test("compositeValidator starts no further validator once the signal is aborted", async () => {
  const controller = new AbortController();
  const asked: string[] = [];
  const aborting: CompletionValidator = () => {
    controller.abort(new Error("no time left"));
    return { message: "", value: { complete: true, reason: "" } };
  };
  const late: CompletionValidator = () => {
    asked.push("late");
    return { message: "", value: { complete: true, reason: "" } };
  };

  const answer = ask(compositeValidator(aborting, late), { signal: controller.signal });

  await expect(answer).rejects.toThrow("no time left");
  expect(asked).toEqual([]);
});

test("fileOutputValidator is content when all files are there", async () => {
  writeFileSync(join(directory, "a.txt"), "a");
  writeFileSync(join(directory, "b.txt"), "");

  const validator = fileOutputValidator(["a.txt", join(directory, "b.txt")]);

  expect(await ask(validator, { cwd: directory })).toMatchObject({ value: { complete: true } });
});

test("fileOutputValidator names up to three missing files", async () => {
  const validator = fileOutputValidator(["a", "b", "c", "d", "e"], { cwd: directory });

  expect(await ask(validator)).toMatchObject({
    value: {
      complete: false,
      reason: "Output files are missing: a, b, c and 2 more. Write them before you stop.",
    },
  });
});

test("fileOutputValidator does not take a directory for a file", async () => {
  mkdirSync(join(directory, "out"));

  expect(await ask(fileOutputValidator(["out"], { cwd: directory }))).toMatchObject({
    value: { complete: false },
  });
});

test("fileOutputValidator counts a file as missing when it does not know where to look", async () => {
  expect(await ask(fileOutputValidator(["package.json"]))).toMatchObject({ value: { complete: false } });
});

test("fileOutputValidator prefers its own directory to the agent's", async () => {
  writeFileSync(join(directory, "a.txt"), "a");

  const validator = fileOutputValidator(["a.txt"], { cwd: directory });

  expect(await ask(validator, { cwd: "/nowhere" })).toMatchObject({ value: { complete: true } });
});

async function ask(validator: CompletionValidator, context: Partial<ToolContext> = {}) {
  const params = { stopReason: "end_turn", toolCount: 0, retryCount: 0 };
  return validator(params, { context: { session: new Session(), ...context } });
}
