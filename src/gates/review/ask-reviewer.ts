import type { ReviewerSettings } from "../gate.ts";
import type { ReviewAnswer } from "./slot.ts";
import { secretMasker } from "../../system/logs/mask-secrets.ts";
import { agentVariables } from "../../system/process/volatile-variables.ts";
import type { CappedLog } from "../../system/logs/capped-log.ts";
import { LastBytes } from "../../system/logs/last-bytes.ts";
import { findExecutable, startOf } from "../../system/process/executables.ts";
import { type ProcessEnd, runProcess } from "../../system/process/run-process.ts";
import { letRest, restingUntil } from "./slot-store.ts";
import { scratchDir } from "../../system/files/scratch.ts";
import type { GateContext } from "../gate-context.ts";
import { inLatin1, MaskedOutput } from "../../system/logs/masked-output.ts";
import type { Invocation, Reviewer, ReviewerTrouble } from "./reviewers.ts";
import { readAnswer } from "./review-protocol.ts";
import { type Environment, RUN_ID_VARIABLE } from "../../system/process/environment.ts";
import type { AbsolutePath } from "../../path.ts";

export interface Question {
  readonly prompt: string;
  readonly settings: ReviewerSettings;
  readonly timeoutMs: number;
  readonly context: GateContext;
  readonly log: CappedLog;
}

export type Asked =
  | { readonly kind: "answered"; readonly answer: ReviewAnswer }
  | { readonly kind: "trouble"; readonly trouble: ReviewerTrouble }
  | { readonly kind: "cancelled" };

/** Whatever goes wrong is trouble with the reviewer, never a finding. */
export async function askReviewer(
  reviewer: Reviewer,
  question: Question,
  signal: AbortSignal,
): Promise<Asked> {
  const { context } = question;
  const until = restingUntil(reviewer.name, context.env);
  if (until !== undefined)
    return trouble("resting", `is at its usage limit and left alone until ${clockTime(until)}`);
  const executable = findExecutable(reviewer.executable, context.env, context.root);
  if (executable === undefined) return trouble("missing", "is not installed");
  const printed = await run({ executable, reviewer, question }, signal);
  const asked = understand(reviewer, printed, context.root);
  if (asked.kind === "trouble" && asked.trouble.kind === "usage-limit") letRest(reviewer.name, context.env);
  return asked;
}

interface Printed {
  readonly end: ProcessEnd;
  readonly stdout: string;
  readonly stderr: string;
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_STDERR_BYTES = 16 * 1024;

async function run(
  what: { executable: string; reviewer: Reviewer; question: Question },
  signal: AbortSignal,
): Promise<Printed> {
  const { executable, reviewer, question } = what;
  const { context, log, prompt, timeoutMs, settings } = question;
  const invocation = reviewer.invocation({ ...settings, root: context.root });
  await using place = await placeFor(invocation, context);
  const [stdout, stderr] = [new LastBytes(MAX_ANSWER_BYTES), new LastBytes(MAX_STDERR_BYTES)];
  const output = new MaskedOutput(secretMasker(inLatin1(context.env)), (chunk) => log.write(chunk));
  const end = await runProcess(
    {
      argv: startOf(executable, invocation.args),
      cwd: place.path,
      env: reviewerEnv(context, invocation.env),
      stdin: prompt,
      timeoutMs,
      onOutput: (chunk, stream) => {
        output.push(chunk);
        (stream === "stdout" ? stdout : stderr).push(chunk);
      },
      onStarted: context.onGroup,
    },
    signal,
  );
  output.end();
  const mask = secretMasker(context.env);
  return { end, stdout: mask(stdout.text()), stderr: mask(stderr.text()) };
}

async function placeFor({ scratch }: Invocation, context: GateContext) {
  if (scratch !== undefined) return scratchDir(scratch);
  return { path: context.root as string, [Symbol.asyncDispose]: () => Promise.resolve() }; // the project is not ours to remove
}

function understand(reviewer: Reviewer, { end, stdout, stderr }: Printed, root: string): Asked {
  if (end.kind === "cancelled") return { kind: "cancelled" };
  if (end.kind === "timed-out") return trouble("timed-out", `gave no answer within ${end.afterMs / 1000} s`);
  if (end.kind === "not-started") return trouble("missing", `could not be started: ${end.detail}`);
  const reply = reviewer.replyIn(stdout);
  const answer = reply.failed ? undefined : readAnswer(reply.text, root);
  if (answer !== undefined) return { kind: "answered", answer };
  const isShellSayingNo = end.kind === "exited" && end.exitCode === 127;
  if (isShellSayingNo) return trouble("missing", lastLine(stderr) || "command not found");
  return whyNot(reviewer, { end, reply: reply.text, stderr });
}

/** Limits and logins are announced in few words; a long text that mentions one is about something else. */
const MAX_NOTICE_CHARS = 4_000;

function whyNot(
  reviewer: Reviewer,
  { end, reply, stderr }: { end: ProcessEnd; reply: string; stderr: string },
): Asked {
  const said = [reply.length > MAX_NOTICE_CHARS ? "" : reply, stderr.slice(-MAX_NOTICE_CHARS)].join("\n");
  if (reviewer.usageLimit.test(said)) return trouble("usage-limit", `reached its usage limit: ${gist(said)}`);
  if (reviewer.notLoggedIn.test(said)) return trouble("not-logged-in", `is not logged in: ${gist(said)}`);
  if (end.kind === "exited" && end.exitCode === 0)
    return trouble("nonsense", `gave no answer that can be read: ${gist(reply) || "nothing"}`);
  const how = end.kind === "killed" ? `was killed by ${end.signal}` : `failed (${describeExit(end)})`;
  return trouble("failed", `${how}: ${gist(said) || "it said nothing"}`);
}

function describeExit(end: ProcessEnd): string {
  return end.kind === "exited" ? `exit code ${end.exitCode}` : end.kind;
}

function trouble(kind: ReviewerTrouble["kind"], detail: string): Asked {
  return { kind: "trouble", trouble: { kind, detail } };
}

function gist(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

function clockTime(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 5);
}

/**
 * Without the agent's variables, or the reviewer takes itself for a part of that session or refuses to start; with our mark, so
 * that a stop hook inside it answers at once.
 */
function reviewerEnv(context: GateContext, own: Readonly<Record<string, string>> = {}) {
  const inherited = Object.entries(context.env).filter(([name]) => !agentVariables()(name));
  return {
    ...Object.fromEntries(inherited),
    ...own,
    GAUNTLET_STOP_HOOK_ACTIVE: "1",
    [RUN_ID_VARIABLE]: context.runId,
  };
}

/** Found out without asking a model: it costs nothing. */
export interface ReviewerHealth {
  readonly reviewer: Reviewer;
  readonly state: "ready" | "resting" | "not-logged-in" | "missing";
  readonly path?: string;
  readonly version?: string;
  /** If `resting`, in milliseconds since the epoch. */
  readonly until?: number;
}

export async function probeReviewer(
  reviewer: Reviewer,
  { env, cwd }: { env: Environment; cwd: AbsolutePath | string },
): Promise<ReviewerHealth> {
  const path = findExecutable(reviewer.detect ?? reviewer.executable, env, cwd);
  if (path === undefined) return { reviewer, state: "missing" };
  const ask = (args: readonly string[]): Promise<string> => printedBy(startOf(path, args), { env, cwd });
  const until = restingUntil(reviewer.name, env);
  const [printed, login] = await Promise.all([
    reviewer.versionArgs.length === 0 ? "" : ask(reviewer.versionArgs),
    reviewer.loginArgs === undefined ? "" : ask(reviewer.loginArgs),
  ]);
  const version = /\d+\.\d[\w.+-]*/.exec(printed)?.[0];
  const found = { reviewer, path, version };
  if (until !== undefined) return { ...found, state: "resting", until };
  const isLoggedOut = reviewer.notLoggedIn.test(login) || /"loggedIn":\s*false/.test(login);
  return { ...found, state: isLoggedOut ? "not-logged-in" : "ready" };
}

const PROBE_MS = 10_000;
const PROBE_BYTES = 16 * 1024;

async function printedBy(
  argv: readonly [string, ...string[]],
  { env, cwd }: { env: Environment; cwd: string },
): Promise<string> {
  const printed = new LastBytes(PROBE_BYTES);
  const onOutput = (chunk: Buffer): void => printed.push(chunk);
  await runProcess({ argv, cwd, env, timeoutMs: PROBE_MS, onOutput });
  return printed.text();
}
