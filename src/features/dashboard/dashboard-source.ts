import { basename } from "node:path";
import { loadSettings } from "../../config/gauntlet/load.ts";
import { absolutePath, projectPath } from "../../path.ts";
import type { RecordedOutcome, VerdictRecord } from "../../ledger/verdict-record.ts";
import { visibleName } from "../../feedback/text/clean-text.ts";
import { modifiedAt } from "../../system/files/files.ts";
import { type LogDir, logDirOf } from "../../system/logs/log-dir.ts";
import type { Environment } from "../../system/process/environment.ts";
import { type KnownLedger, listLedgers, readLedger, verdictsIn } from "../../ledger/ledger-lines.ts";
import { ledgerOf } from "../../ledger/ledger.ts";
import { listSessions } from "../../stop/session-store.ts";
import type {
  DashboardChange,
  DashboardState,
  ProjectRow,
  RunningRow,
  RunPage,
  StopRow,
} from "./page-data.ts";
import { pastRun } from "../../ledger/past.ts";
import { collectRunPage } from "./run-page.ts";
import { runningRun } from "../../run/running-run.ts";

const MOST_ROWS = 20_000;

interface Place {
  readonly key: string;
  readonly worktree?: string;
  readonly root: string;
  readonly logDir: LogDir;
}

export class DashboardSource {
  readonly #env: Environment;
  #places: readonly Place[] = [];
  /** Of each ledger: when it was last written, and the hash before the newest verdict that was shown. */
  readonly #seen = new Map<
    string,
    { readonly changedAt: number | undefined; readonly newest: string | undefined }
  >();
  #running = "[]";

  constructor(env: Environment) {
    this.#env = env;
  }

  async state(): Promise<DashboardState> {
    const ledgers = listLedgers(this.#env);
    this.#places = await this.#findPlaces(ledgers);
    const rows = ledgers.flatMap((known) => this.#readRows(known).rows).toSorted(newestFirst);
    const projects = ledgers.map((known) => projectRow(known, this.#places));
    return {
      projects: projects.toSorted((one, other) => one.name.localeCompare(other.name)),
      rows: rows.slice(0, MOST_ROWS),
      isCut: rows.length > MOST_ROWS,
      running: this.#runningNow(),
    };
  }

  async changes(): Promise<DashboardChange | DashboardState | undefined> {
    const before = this.#running;
    const ledgers = listLedgers(this.#env);
    const read = ledgers
      .filter((known) => this.#hasChanged(known))
      .map((known) => this.#readRows(known, this.#seen.get(known.key)?.newest));
    if (read.some(({ isContinued }) => !isContinued)) return this.state();
    const rows = read.flatMap((one) => one.rows).toSorted(newestFirst);
    if (rows.length > 0) this.#places = await this.#findPlaces(ledgers); // a session may work in a work tree we did not know
    const running = this.#runningNow();
    return rows.length === 0 && this.#running === before ? undefined : { rows, running };
  }

  async run(key: string, at: number): Promise<RunPage | undefined> {
    const known = listLedgers(this.#env).find((one) => one.key === key);
    const read = known === undefined ? undefined : readLedger(known.ledger);
    if (read?.ok !== true) return undefined;
    for (const record of verdictsIn(read.value, `"at":${at},`)) {
      const place = this.#places.find((one) => one.key === key && one.worktree === record.worktree);
      if (record.at !== at || record.run === undefined || place === undefined) continue;
      const where = { root: absolutePath(place.root), logDir: place.logDir, env: this.#env };
      return collectRunPage(where, pastRun(where, record));
    }
    return undefined;
  }

  #hasChanged({ key, ledger }: KnownLedger): boolean {
    return this.#seen.get(key)?.changedAt !== modifiedAt(ledger.file);
  }

  /** The verdicts after a known one; where that is not among the lines any more, or none was known, they continue nothing. */
  #readRows({ key, ledger }: KnownLedger, known?: string) {
    const changedAt = modifiedAt(ledger.file);
    const read = readLedger(ledger);
    const rows: StopRow[] = [];
    let newest: string | undefined;
    let isContinued = false;
    for (const record of read.ok ? verdictsIn(read.value) : []) {
      newest ??= record.prev;
      isContinued = record.prev === known;
      if (isContinued || rows.length > MOST_ROWS) break;
      rows.push(stopRow(key, record));
    }
    this.#seen.set(key, { changedAt, newest });
    return { rows, isContinued };
  }

  async #findPlaces(ledgers: readonly KnownLedger[]): Promise<readonly Place[]> {
    const roots = new Set([
      ...ledgers.flatMap(({ root }) => root ?? []),
      ...listSessions(this.#env).flatMap(({ session }) => session.root ?? []),
    ]);
    return await Promise.all([...roots].map((root) => this.#placeOf(root)));
  }

  async #placeOf(root: string): Promise<Place> {
    const { directory, worktree } = ledgerOf(root, this.#env);
    const loaded = await loadSettings(absolutePath(root), this.#env);
    const logDir = loaded.ok ? loaded.value.settings.logDir : projectPath("gauntlet_logs");
    const place = { key: basename(directory), root, logDir: logDirOf(absolutePath(root), logDir) };
    return { ...place, worktree };
  }

  #runningNow(): readonly RunningRow[] {
    const running = this.#places.flatMap(runningIn);
    this.#running = JSON.stringify(running);
    return running;
  }
}

function newestFirst(one: StopRow, other: StopRow): number {
  return other.at - one.at;
}

function projectRow({ key, root }: KnownLedger, places: readonly Place[]): ProjectRow {
  const known = root ?? places.find((place) => place.key === key && place.worktree === undefined)?.root;
  if (known === undefined) return { key, name: `project ${key.slice(0, 8)}` };
  return { key, name: visibleName(basename(known)), root: visibleName(known) };
}

/** Names may hold anything that git or a host lets through. */
function stopRow(project: string, record: VerdictRecord): StopRow {
  const { at, ms, door, host, session, worktree, status, decision, run, left, branch, commit } = record;
  const outcomes = record.outcomes?.map(visibleOutcome);
  return {
    project,
    at,
    ms,
    door,
    status,
    host,
    session,
    decision,
    run,
    left,
    commit,
    outcomes,
    worktree: worktree === undefined ? undefined : visibleName(worktree),
    branch: branch === undefined ? undefined : visibleName(branch),
  };
}

function visibleOutcome(outcome: RecordedOutcome): RecordedOutcome {
  const flaky = outcome.flaky?.map(visibleName);
  return { ...outcome, id: visibleName(outcome.id), flaky };
}

function runningIn({ key, root, logDir }: Place): readonly RunningRow[] {
  const running = runningRun(logDir);
  if (running === undefined) return [];
  const { since, gates, finished, session, run, isAhead } = running;
  return [
    {
      project: key,
      root: visibleName(root),
      since,
      gates: gates.map(visibleName),
      finished,
      session,
      run,
      isAhead,
    },
  ];
}
