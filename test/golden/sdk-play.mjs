// A program that uses the SDK as its users do: plays the steps it reads on stdin through one stop hook, and prints what that answers.
import { readFileSync, writeFileSync } from "node:fs";
import {
  commandValidator,
  completionTool,
  compositeValidator,
  createStopHook,
  fileOutputValidator,
  gauntletValidator,
  HookContext,
  Session,
} from "agent-gauntlet/sdk";

const VALIDATORS = {
  gauntlet: () => gauntletValidator({ cwd: process.cwd() }),
  files: () => fileOutputValidator(["done.txt"], { cwd: process.cwd() }),
  command: () => commandValidator({ command: "echo it is not done; exit 3", cwd: process.cwd() }),
  both: () => compositeValidator(VALIDATORS.files(), VALIDATORS.gauntlet()),
  throwing: () => () => {
    throw new Error("the validator is broken");
  },
  malformed: () => () => "yes",
};

const { validator, steps, ...options } = JSON.parse(readFileSync(0, "utf8"));
const logged = [];
const log = (level) => (message, fields) => logged.push({ level, message, ...fields });
const logger = { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
const tools = validator === undefined ? [] : [completionTool(VALIDATORS[validator]())];
const context = new HookContext({ session: new Session(), tools, logger, ...options });
const stop = createStopHook(context);

const answers = [];
for (const step of steps) {
  if (step === "stop") {
    const answer = await stop({ hook_event_name: "Stop" }, undefined, {
      signal: new AbortController().signal,
    });
    answers.push({ answer, logged: logged.splice(0) });
  } else {
    writeFileSync(step.write, step.text);
  }
}
process.stdout.write(`${JSON.stringify({ answers })}\n`);
