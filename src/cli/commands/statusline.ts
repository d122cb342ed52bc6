import { loadSettingsQuickly } from "../../config/gauntlet/settings-cache.ts";
import { findRunQuickly } from "../../ledger/past.ts";
import { parseObject, textOf } from "../../hosts/protocol.ts";
import { kindOf, writeAll } from "../../system/files/files.ts";
import { findProject } from "../../system/files/find-project.ts";
import { type LogDir, logDirOf } from "../../system/logs/log-dir.ts";
import { currentDirectory, type Environment } from "../../system/process/environment.ts";
import { readStdin } from "../../system/process/stdin.ts";
import { runningRun } from "../../run/running-run.ts";
import { retriesIn } from "../../stop/session.ts";
import { readSession } from "../../stop/session-store.ts";
import { shortStatus } from "../../report/summary-lines.ts";
import { EXIT } from "../../report/exit-code.ts";

/**
 * Called every few hundred milliseconds, so it skips setting up the command table. Claude Code (2.1.325, 2026-11-16) writes where it is,
 * and in which session, to our stdin.
 */
export async function runStatusline(): Promise<number> {
  const host = parseObject(await readStdin(new AbortController().signal)) ?? {}; // typed by hand, it gets no event
  const line = await shortStatusOf({
    cwd: textOf(host, "cwd") ?? currentDirectory(),
    env: process.env,
    session: textOf(host, "session_id"),
  });
  if (line !== undefined) writeAll(1, `${line}\n`); // `process.stdout` takes longer to make
  return EXIT.ok;
}

interface Asked {
  readonly cwd: string;
  readonly env: Environment;
  /** Whose attempts are shown. */
  readonly session?: string | undefined;
}

/** One line about the project; nothing outside of one or with a broken configuration: a status line does not show errors. */
export async function shortStatusOf({ cwd, env, session }: Asked): Promise<string | undefined> {
  const root = findProject(cwd);
  const loaded = root === undefined ? undefined : await loadSettingsQuickly(root, env);
  if (root === undefined || !loaded?.ok) return undefined;
  const { settings } = loaded.value;
  const logDir = logDirOf(root, settings.logDir);
  const stored = session === undefined ? undefined : readSession({ sessionId: session, cwd }, env).value;
  const attempts = stored && retriesIn(stored, root).attempts;
  return shortStatus({
    now: Date.now(),
    ...(kindOf(logDir.lockFile) === "missing" ? {} : runningFacts(logDir)),
    lastRun: findRunQuickly({ root, logDir, env }),
    attemptsLeft: attempts === undefined ? undefined : Math.max(0, settings.maxRetries - attempts),
  });
}

function runningFacts(logDir: LogDir) {
  const run = runningRun(logDir);
  if (run === undefined) return {};
  const names = run.gates.map((id) => id.slice(id.lastIndexOf(":") + 1));
  return { isRunningAhead: run.isAhead, runningSince: run.since, runningGates: [...new Set(names)] };
}
