import { type Command, InvalidArgumentError, Option } from "commander";
import { now } from "../../machine/clock.ts";
import { addExamples } from "./command-options.ts";
import type { Act } from "./command-table.ts";
import type { AttestOptions } from "../commands/trust/attest.ts";
import type { LogOptions } from "../commands/trust/log.ts";
import type { VerifyOptions } from "../commands/trust/verify.ts";

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
        (await import("../commands/trust/attest.ts")).attestCommand(terminal, { ...options, revision }),
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
        (await import("../commands/trust/verify.ts")).verifyCommand(terminal, { ...options, revision }),
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

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Reads `2h`, `3d`, a date or a time; undefined for anything else. */
function readSince(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now() - Number(count) * (UNITS[unit] ?? 0);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
