import { type Command, InvalidArgumentError, Option } from "commander";
import { now } from "../../machine/clock.ts";
import { addExamples } from "./command-options.ts";
import type { Act } from "./command-table.ts";
import type { AttestOptions, VerifyOptions } from "../commands/trust/attestations.ts";
import type { LogOptions } from "../commands/trust/log.ts";
import type { AllowOptions } from "../commands/trust/allow.ts";
import type { SkipOptions } from "../commands/trust/skip.ts";

/** Look up verdicts, here and elsewhere. */
export function addProofCommands(program: Command, act: Act): void {
  addLogCommand(program, act);
  addVerifyCommand(program, act);
  const attest = program
    .command("attest")
    .description("sign that a commit passed here, for others to verify")
    .argument("[revision]", "the commit (HEAD)")
    .option("--json", "print it as JSON")
    .action((revision: string | undefined, options: AttestOptions) =>
      act(async (terminal) =>
        (await import("../commands/trust/attestations.ts")).attestCommand(terminal, { ...options, revision }),
      ),
    );
  addExamples(attest, "agent-gauntlet attest", "agent-gauntlet attest v1.2.0");
}

function addLogCommand(program: Command, act: Act): void {
  const log = program
    .command("log")
    .description("show the verdicts that were given in this project")
    .option("--session <id>", "only of this session (the beginning of its id is enough)")
    .option("--gate <name>", "only of this gate, with how long it took")
    .option("--since <when>", "only after a date or a while ago: 2026-11-15, 3d, 12h", readMoment)
    .option("-n, --number <count>", "how many (20; all with --export)", readCount)
    .option("--check", "check that no line was changed and none is missing")
    .option("--flaky", "only list the tests that passed when repeated, with how often and when")
    .addOption(
      new Option("--export", "print JSON lines without names of sessions, branches and work trees").conflicts(
        ["check", "json"],
      ),
    )
    .option("--json", "print them as JSON")
    .action((options: LogOptions) =>
      act(async (terminal) => (await import("../commands/trust/log.ts")).logCommand(terminal, options)),
    );
  addExamples(
    log,
    "agent-gauntlet log --since 3d",
    "agent-gauntlet log --gate test",
    "agent-gauntlet log --flaky --since 7d",
    "agent-gauntlet log --check",
  );
}

function addVerifyCommand(program: Command, act: Act): void {
  const verify = program
    .command("verify")
    .description("check whether the work tree, or a commit, passed its gates")
    .argument("[revision]", "the commit (without one: the work tree as it is)")
    .option("--run", "run the gates if there is no pass yet")
    .addOption(
      new Option("--pre-push [remote]", "verify each ref that git's pre-push hook names on stdin").conflicts(
        "attested",
      ),
    )
    .addOption(
      new Option("--attested", "go by what others signed, not by the ledger of this machine").conflicts(
        "run",
      ),
    )
    .option("--allowed-signers <file>", "whose signatures count, as ssh-keygen(1) reads it")
    .option("--json", "print it as JSON")
    .action((revision: string | undefined, options: VerifyOptions) =>
      act(async (terminal) =>
        (await import("../commands/trust/attestations.ts")).verifyCommand(terminal, { ...options, revision }),
      ),
    );
  addExamples(
    verify,
    "agent-gauntlet verify",
    "agent-gauntlet verify HEAD --run",
    "agent-gauntlet verify origin/main --attested --allowed-signers .gauntlet/allowed-signers",
  );
}

function readMoment(text: string): number {
  const at = readSince(text);
  if (at === undefined)
    throw new InvalidArgumentError("Use a date (2026-11-15) or a while ago (30m, 12h, 3d, 2w).");
  return at;
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Use a number from 1.");
  return Number(text);
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Reads `2h`, `3d`, a date or a time; undefined for anything else. */
function readSince(text: string): number | undefined {
  const ms = durationIn(text);
  if (ms !== undefined) return now() - ms;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

/** Reads `30m`, `2h`, `3d`, `1w`. */
function durationIn(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit as keyof typeof UNITS] ?? 0);
}

/** What only the user may say: which gates may run, and that changed ones are right. */
export function addTrustCommands(program: Command, act: Act): void {
  const allow = program
    .command("allow")
    .description("let a hook that serves every project run this project's gates, as they are now")
    .addOption(new Option("--list", "show every project you allowed or denied").conflicts("print"))
    .option("--print", "print the hash of the gates: for AGENT_GAUNTLET_ALLOW, where there is no one to ask")
    .option("--json", "with --list: print it as JSON")
    .action((options: AllowOptions) =>
      act(async (terminal) => (await import("../commands/trust/allow.ts")).allowCommand(terminal, options)),
    );
  addExamples(allow, "agent-gauntlet allow", "agent-gauntlet allow --list", "agent-gauntlet allow --print");
  const deny = program
    .command("deny")
    .description("never let such a hook run anything of this project")
    .action(() =>
      act(async (terminal) => (await import("../commands/trust/allow.ts")).denyCommand(terminal)),
    );
  addExamples(deny, "agent-gauntlet deny");
  const accept = program
    .command("accept")
    .description("show how the gates were changed since the session began, and take them as they are now")
    .action(() =>
      act(async (terminal) => (await import("../commands/trust/allow.ts")).acceptCommand(terminal)),
    );
  addExamples(accept, "agent-gauntlet accept");
  const skip = program
    .command("skip")
    .description("let the agent stop unchecked, because you say so")
    .requiredOption("--reason <text>", "why: shown at the stop and recorded", readReason)
    .option("--gate <name>", "leave out only this gate")
    .addOption(
      new Option("--once", "the next stop (what is meant without --for and --session)").conflicts([
        "for",
        "session",
      ]),
    )
    .addOption(
      new Option("--for <time>", "every stop for a while: 30m, 2h").conflicts("session").argParser(readWhile),
    )
    .option("--session", "every stop of the session that stopped here last")
    .action((options: SkipOptions) =>
      act(async (terminal) => (await import("../commands/trust/skip.ts")).skipCommand(terminal, options)),
    );
  addExamples(
    skip,
    'agent-gauntlet skip --reason "the test server is down"',
    'agent-gauntlet skip --reason "flaky today" --gate e2e --for 2h',
  );
}

function readReason(text: string): string {
  const reason = text.trim();
  if (reason === "") throw new InvalidArgumentError("Say why.");
  return reason.slice(0, 300);
}

/** At most a week: what is longer belongs in the configuration. */
function readWhile(text: string): number {
  const ms = durationIn(text.trim()) ?? 0;
  if (ms <= 0 || ms > UNITS.w)
    throw new InvalidArgumentError("A time of at most a week, as in 30m, 2h or 1d.");
  return ms;
}
