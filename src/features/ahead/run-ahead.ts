import { loadSettingsQuickly } from "../../config/gauntlet/settings-cache.ts";
import type { GatesDefinition, RunAheadSettings, Settings } from "../../config/settings.ts";
import type { AbsolutePath } from "../../path.ts";
import type { RunRequest } from "../../run/request.ts";
import { run } from "../../run/run.ts";
import { WatchedProject } from "../../run/watched-project.ts";
import { Notices } from "../../stop/notices.ts";
import { OpenSession } from "../../stop/open-session.ts";
import { elapsedMs, now } from "../../system/clock.ts";
import { sweepScratch } from "../../system/files/owned-scratch.ts";
import { modifiedAt } from "../../system/files/files.ts";
import type { Environment } from "../../system/process/environment.ts";
import { isAlive } from "../../system/process/group.ts";
import { isSavingPower } from "../../system/process/power.ts";
import { lowerPriority } from "../../system/process/start-detached.ts";
import { acquireLock } from "../../system/state/lock.ts";
import { projectStateDir } from "../../system/state/state-keys.ts";
import { aheadLock, type EditNote, notePath, readNote, writeRunning } from "./store.ts";

interface Place {
  readonly root: AbsolutePath;
  readonly env: Environment;
  /** The gates the user allowed, or that nothing may run. */
  readonly consent: (note: EditNote) => Promise<Consent>;
}

type Consent = "not-allowed" | { readonly judgedBy: GatesDefinition | undefined };

/** A file is looked at so soon after it was written: a run of other files must end at once. */
const QUIET_MS = 30;

/**
 * The one background process of a work tree: runs the gates whenever the files have been still for a while, until the agent is gone, the
 * session ends or nothing is edited any more.
 */
export async function runAhead({ root, env, consent }: Place, signal: AbortSignal): Promise<void> {
  const stateDir = projectStateDir(root, env);
  const locked = acquireLock(aheadLock(stateDir));
  if (!locked.ok) return; // another one was faster
  using _lock = locked.value;
  sweepScratch(); // one that was killed may have been looking at the files
  const work = new Work(stateDir, signal);
  using files = await WatchedProject.open(root, env, { onChange: work.noteChange, quietMs: QUIET_MS });
  for (;;) {
    const settings = await settingsOf(root, env);
    if (settings?.runAhead === undefined || !(await work.isDue(settings.runAhead))) return;
    const note = readNote(stateDir);
    const allowed = note === undefined ? "not-allowed" : await consent(note);
    if (note === undefined || allowed === "not-allowed") return;
    if (settings.runAhead.nice) lowerPriority();
    const { content: tree } = await files.look();
    const ending = work.begin();
    if (!(await isSavingPower())) {
      writeRunning(stateDir, { tree });
      await run({ ...requestFor(note, settings, env), allowed: allowed.judgedBy, cwd: root, signal: ending });
      writeRunning(stateDir, undefined);
    }
    work.end();
  }
}

async function settingsOf(root: AbsolutePath, env: Environment): Promise<Settings | undefined> {
  const loaded = await loadSettingsQuickly(root, env);
  return loaded.ok ? loaded.value.settings : undefined;
}

/** The run of the stop that is to come: it answers nobody, spends nothing and edits nothing. */
function requestFor({ event }: EditNote, settings: Settings, env: Environment): Omit<RunRequest, "cwd"> {
  const { gates, maxParallel } = settings.runAhead ?? {};
  const hasReviews = settings.entryPoints.some((one) => one.gates.some(({ kind }) => kind === "review"));
  const kind = gates === undefined && hasReviews ? ("check" as const) : undefined; // reviews cost money
  const session = OpenSession.rehearse(event, env);
  const chosen = kind === undefined ? { gates } : { kind };
  return {
    ...chosen,
    isStop: true,
    ahead: { maxParallel },
    event,
    session,
    notices: new Notices(),
    env,
    noFix: true,
  };
}

const LOOK_EVERY_MS = 50;
const MINUTE_MS = 60_000;

/** When to run, when to stop running, and when to end. */
class Work {
  readonly #stateDir: string;
  readonly #signal: AbortSignal;
  readonly #starts: number[] = [];
  #changedAt = elapsedMs();
  #isNew = true;
  #run: { readonly controller: AbortController; readonly since: number } | undefined;
  /** Written during the last run although no edit was noted. */
  #suspects: ReadonlySet<string> = new Set();
  /** Written by gates. */
  readonly #byGates = new Set<string>();
  #agent: number | undefined;
  #notedAt: number | undefined;

  constructor(stateDir: string, signal: AbortSignal) {
    this.#stateDir = stateDir;
    this.#signal = signal;
  }

  readonly noteChange = (files: readonly string[]): void => {
    if (this.#run !== undefined && this.#isByGate(files)) return;
    this.#isNew = true;
    this.#changedAt = elapsedMs();
    this.#run?.controller.abort();
  };

  /** A file that changes again in the next run, without an edit, is written by a gate: it ends one run at most. */
  #isByGate(files: readonly string[]): boolean {
    const isEdited = (modifiedAt(notePath(this.#stateDir)) ?? 0) > (this.#run?.since ?? 0);
    if (!isEdited) for (const file of files) if (this.#suspects.has(file)) this.#byGates.add(file);
    this.#suspects = new Set(isEdited ? [] : files);
    return files.length > 0 && files.every((file) => this.#byGates.has(file));
  }

  /** Resolves to true once the files are still, to false when it is time to end. */
  async isDue(settings: RunAheadSettings): Promise<boolean> {
    while (!this.#isOver(settings)) {
      if (this.#isStill(settings) && this.#mayStart(settings)) return true;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return false;
  }

  begin(): AbortSignal {
    this.#isNew = false;
    this.#starts.push(elapsedMs());
    const controller = new AbortController();
    this.#run = { controller, since: now() };
    return AbortSignal.any([controller.signal, this.#signal]);
  }

  end(): void {
    this.#run = undefined;
  }

  #isStill({ afterMs }: RunAheadSettings): boolean {
    return this.#isNew && elapsedMs() - this.#changedAt >= afterMs;
  }

  #mayStart({ maxPerMinute }: RunAheadSettings): boolean {
    const before = this.#starts.at(-maxPerMinute);
    return before === undefined || elapsedMs() - before >= MINUTE_MS;
  }

  #isOver({ idleMs }: RunAheadSettings): boolean {
    const editedAt = modifiedAt(notePath(this.#stateDir));
    if (this.#signal.aborted || editedAt === undefined) return true;
    if (editedAt !== this.#notedAt) this.#agent = readNote(this.#stateDir)?.agentPid;
    this.#notedAt = editedAt;
    if (this.#agent !== undefined && !isAlive(this.#agent)) return true;
    return now() - editedAt > idleMs && elapsedMs() - this.#changedAt > idleMs;
  }
}
