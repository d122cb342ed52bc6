import { BASELINE_FILE } from "./store.ts";
import { type BaselineDraft, draftBaseline, isAccepted, writeBaseline } from "./draft.ts";
import { countOf } from "./baseline-file.ts";
import { line } from "../../report/json/json.ts";
import type { RunResult } from "../../run/result.ts";
import { counted } from "../../words.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import { confirm } from "../../report/prompt.ts";
import { EXIT, exitCodeBy } from "../../report/exit-code.ts";
import { openSettings, tellTrouble } from "../../report/open-settings.ts";
import { showProgress } from "../../report/progress.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";

export interface BaselineOptions {
  readonly prune?: boolean;
  readonly json?: boolean;
}

const COMMAND = "baseline";

export async function baselineCommand(terminal: Terminal, options: BaselineOptions): Promise<number> {
  const { json } = options;
  const settings = await openSettings(terminal, { command: COMMAND, json });
  if (typeof settings === "number") return settings;
  using cancel = cancellation();
  const drafted = await draft(terminal, settings.root, options, cancel.signal);
  if (!drafted.ok) return tellTrouble(terminal, drafted.trouble, { command: COMMAND, json });
  if ("entries" in drafted.value) return await finish(terminal, settings.root, drafted.value, json);
  printLine(terminal.stderr, whyNotRun(drafted.value));
  return cancel.cause === undefined ? EXIT.notOk : exitCodeBy(cancel.cause);
}

function whyNotRun(result: RunResult): string {
  const errorMessage = "errorMessage" in result ? result.errorMessage : undefined;
  return errorMessage ?? result.message;
}

async function draft(terminal: Terminal, root: string, options: BaselineOptions, signal: AbortSignal) {
  const { prune = false, json = false } = options;
  using progress = await showProgress(terminal, { json });
  const { onEvent, onOutput } = progress;
  const { cwd, env } = terminal;
  return await draftBaseline(root, { cwd, env, signal, onEvent, onOutput, prune }); // the screen is in order when this returns
}

async function finish(terminal: Terminal, root: string, draft: BaselineDraft, json = false): Promise<number> {
  const { env, stdout, stderr } = terminal;
  const isSeen = isUserThere(terminal) && !json;
  if (!json) for (const line of summary(draft)) printLine(stdout, line);
  const answer = await decide(terminal, draft, isSeen, isAccepted(root, draft, env));
  const written = answer === "write" ? writeBaseline(root, draft, { env, isSeen }) : undefined;
  if (written?.ok === false) return tellTrouble(terminal, written.trouble, { command: COMMAND, json });
  if (json) printLine(stdout, baselineJson(draft, answer === "write"));
  else if (answer === "write") printLine(stdout, `Wrote ${BASELINE_FILE}. Commit it.`);
  if (answer === "refuse") printLine(stderr, REFUSED);
  return answer === "write" || answer === "leave" ? EXIT.ok : EXIT.notOk;
}

/** A user must have seen every problem that counts from now on and did not before. */
async function decide(
  terminal: Terminal,
  { added, removed }: BaselineDraft,
  isSeen: boolean,
  isAccepted: boolean,
): Promise<"write" | "leave" | "refuse" | "decline"> {
  if (!isSeen && added > 0) return "refuse";
  const isAsked = added > 0 || (isSeen && !isAccepted);
  if (isAsked) return (await confirm(terminal, `Write ${BASELINE_FILE}?`)) ? "write" : "decline";
  return removed > 0 ? "write" : "leave";
}

const REFUSED = `Nothing was written: without a terminal ${BASELINE_FILE} can only shrink. A user can run \`agent-gauntlet baseline\` at a terminal; \`agent-gauntlet baseline --prune\` removes what is fixed.`;

function baselineJson({ entries, added, removed, undecided }: BaselineDraft, written: boolean): string {
  return line("baseline", {
    file: BASELINE_FILE,
    problems: countOf(entries),
    added,
    removed,
    undecided,
    written,
  });
}

function summary({ entries, added, removed, undecided }: BaselineDraft): readonly string[] {
  const total = countOf(entries);
  const gates = new Set(entries.map(({ gate }) => gate)).size;
  if (total + removed === 0 && undecided.length === 0) return ["No check found a problem."];
  return [
    `${counted(total, "problem")} of ${counted(gates, "check")}: ${added} not in ${BASELINE_FILE} yet, ${removed} of it fixed.`,
    ...undecided.map((one) => `What the file has about it stays: ${one}`),
  ];
}

/** An agent may have a terminal too, but sets one of these. */
function isUserThere({ isInteractive, env }: Terminal): boolean {
  const isAgent = ["CLAUDECODE", "AI_AGENT", "GAUNTLET_STOP_HOOK_ACTIVE"].some(
    (name) => env[name] !== undefined,
  );
  return isInteractive && !isAgent;
}
