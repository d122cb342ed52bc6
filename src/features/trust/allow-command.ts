import { type Terminal, printLine } from "../../report/terminal.ts";
import { openSettings, refuse, tellTrouble } from "../../report/open-settings.ts";
import { allowedHash } from "../../config/gauntlet/gates-hash.ts";
import { EXIT } from "../../report/exit-code.ts";
import { refuseAgent, whyNoUser } from "../../report/user-at-terminal.ts";
import { confirm } from "../../report/prompt.ts";
import { now } from "../../system/clock.ts";
import { writeConsent, listConsents, type Consent } from "./gates-store.ts";
import { findProject } from "../../system/files/find-project.ts";
import { acceptGates, consentFor } from "./consent.ts";
import type { Result } from "../../trouble.ts";
import type { Settings } from "../../config/settings.ts";
import { displayPath } from "../../path.ts";
import type { GatesDefinition } from "../../config/settings.ts";
import { differences } from "./gate-differences.ts";
import { allowedJson } from "./json.ts";
import { counted } from "../../words.ts";

export interface AllowOptions {
  readonly list?: boolean;
  readonly print?: boolean;
  readonly json?: boolean;
}

export async function allowCommand(terminal: Terminal, { list, print, json }: AllowOptions): Promise<number> {
  if (list) return listAllowed(terminal, json);
  if (json) return refuse(terminal, ONLY_LIST, { command: "allow", json: true });
  const settings = await openSettings(terminal, { command: "allow", json });
  if (typeof settings === "number") return settings;
  if (print) {
    printLine(terminal.stdout, allowedHash(settings));
    return EXIT.ok;
  }
  const why = whyNoUser(terminal);
  showGates(terminal, settings);
  if (why !== undefined) return refuseAgent(terminal, "allow", why);
  if (!(await confirm(terminal, "Allow these gates?"))) return notDone(terminal);
  const { root, ...definition } = settings;
  const consent = { root, decision: "allowed", at: now(), hash: allowedHash(settings), definition } as const;
  return told(terminal, writeConsent(consent, terminal.env), `Allowed until they change: ${root}`);
}

export async function denyCommand(terminal: Terminal): Promise<number> {
  const why = whyNoUser(terminal);
  if (why !== undefined) return refuseAgent(terminal, "deny", why);
  const root = findProject(terminal.cwd);
  if (root === undefined)
    return tellTrouble(terminal, { kind: "no-config", searchedFrom: terminal.cwd }, { command: "deny" });
  const consent = { root, decision: "denied", at: now(), hash: "" } as const;
  return told(
    terminal,
    writeConsent(consent, terminal.env),
    `Denied: ${root}. \`agent-gauntlet allow\` undoes this.`,
  );
}

export async function acceptCommand(terminal: Terminal): Promise<number> {
  const settings = await openSettings(terminal, { command: "accept" });
  if (typeof settings === "number") return settings;
  const accepted = acceptGates(settings, terminal.env);
  if (accepted.changes.length === 0) {
    printLine(
      terminal.stdout,
      "The gates have not changed since the sessions here began: there is nothing to accept.",
    );
    return EXIT.ok;
  }
  printLine(terminal.stdout, "The gates were changed:");
  for (const { text } of accepted.changes) printLine(terminal.stdout, `  ${text}`);
  const why = whyNoUser(terminal);
  if (why !== undefined) return refuseAgent(terminal, "accept", why);
  if (!(await confirm(terminal, "Accept them?"))) return notDone(terminal);
  return told(terminal, accepted.commit(), "Accepted: the next stop is judged by the gates as they are now.");
}

function notDone(terminal: Terminal): number {
  printLine(terminal.stdout, "Nothing was changed.");
  return EXIT.notOk;
}

function told(terminal: Terminal, done: Result<void>, words: string): number {
  if (!done.ok) return tellTrouble(terminal, done.trouble, { command: "allow" });
  printLine(terminal.stdout, words);
  return EXIT.ok;
}

/** A command may contain control characters, and must be visible all the same. */
function showGates({ stdout, env }: Terminal, settings: Settings): void {
  const { root, entryPoints, scripts } = settings;
  printLine(stdout, `When an agent stops in ${root}, these gates may run:`);
  for (const { path, gates } of entryPoints)
    for (const gate of gates) {
      const runs = gate.kind === "check" ? gate.command : `reviewed by ${gate.cliPreference.join(", ")}`;
      printLine(stdout, `  ${gate.kind} "${gate.name}" (${displayPath(path)}): ${displayPath(runs)}`);
    }
  const names = Object.keys(scripts);
  if (names.length > 0) printLine(stdout, `They use ${names.map(displayPath).join(", ")}.`);
  printLine(stdout, `Filters that git is configured to run in this repository may run as well.`);
  const before = consentFor(root, env)?.definition;
  if (before !== undefined) showDifference(stdout, before, settings);
}

function showDifference(stdout: Terminal["stdout"], before: GatesDefinition, after: GatesDefinition): void {
  const changes = differences(before, after);
  printLine(
    stdout,
    changes.length === 0 ? "They have not changed since you allowed them." : "Since you allowed them:",
  );
  for (const { text } of changes) printLine(stdout, `  ${text}`);
}

/** A program cannot be asked, and must not take the printed list for a yes. */
const ONLY_LIST = "`--json` goes with `--list`: only a user at a terminal can allow gates.";

function listAllowed(terminal: Terminal, json: boolean | undefined): number {
  const consents = listConsents(terminal.env);
  if (json) printLine(terminal.stdout, allowedJson(consents));
  else if (consents.length === 0) printLine(terminal.stdout, "No project is allowed or denied.");
  else for (const consent of consents) printLine(terminal.stdout, consentLine(consent));
  return EXIT.ok;
}

function consentLine({ decision, root, at, definition }: Consent): string {
  const gates = definition?.entryPoints.reduce((sum, one) => sum + one.gates.length, 0);
  const what = gates === undefined ? "" : `, ${counted(gates, "gate")}`;
  return `${decision} ${new Date(at).toISOString().slice(0, 10)}  ${root}${what}`;
}
