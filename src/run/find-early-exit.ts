import { once } from "../once.ts";
import { EARLY_EXITS } from "../stop/early-exits.ts";
import type { PassRecord } from "../stop/passes.ts";
import { retriesIn, startIn, withRetries } from "../stop/session.ts";
import { passIndexOf } from "../stop/work-tree-store.ts";
import { now } from "../system/clock.ts";
import { kindOf } from "../system/files/files.ts";
import type { WorkTree } from "../system/git/work-tree.ts";
import type { Past, Project } from "./open.ts";
import type { RunRequest } from "./request.ts";
import { type Judged, notNeeded, type RunResult, troubled } from "./result.ts";
import { stages } from "./stages.ts";

/** A work tree, and what is known of it. */
interface Known {
  readonly tree: WorkTree;
  readonly past: Past;
}

/** Why a stop needs no run: the first early exit that applies. */
export async function findEarlyExit(
  project: Project,
  { event }: RunRequest,
  { tree, past }: Known,
): Promise<RunResult | undefined> {
  const { session, settings } = project;
  const fit = settings.debugLog.enabled ? await (await stages.rare()).checkLogDir(project, tree) : undefined;
  if (fit?.ok === false) return troubled(fit.trouble);
  const { workTree } = past;
  const retries = retriesIn(session.value, settings.root);
  const facts = {
    event,
    stopHook: settings.stopHook,
    workTree,
    retries,
    isDamaged: session.damage !== undefined,
    now: now(),
    inWords: isoTime,
    tree: once(() => scanTree(project, { tree, past })),
  };
  for (const { when } of EARLY_EXITS) {
    const ended = await when(facts);
    if (ended === undefined) continue;
    const isLost = ended.retries !== undefined && !rememberRetries(project, ended.retries);
    if (isLost && ended.pass === undefined) continue; // it could be repeated endlessly
    if (mayBeDead(project)) await (await stages.rare()).tidyUpIfDead(project);
    const judged = ended.pass && judgedByPass(ended.pass);
    return { ...notNeeded(ended.status, ended.facts), judged, ignoreFiles: ended.pass?.ignoreFiles };
  }
  return undefined;
}

/** A killed run leaves its lock. An early exit may be killed, too, if it takes a snapshot: after giving up. */
function mayBeDead({ session, settings, logDir }: Project): boolean {
  const { gaveUpOn } = retriesIn(session.value, settings.root);
  return kindOf(logDir.lockFile) !== "missing" || gaveUpOn !== undefined;
}

function rememberRetries({ session, settings }: Project, retries: ReturnType<typeof retriesIn>): boolean {
  session.change(withRetries(settings.root, retries));
  return session.save().ok;
}

/** The recorded tree of the pass is this one: asking git for it again would cost a process. */
function judgedByPass({ key, fingerprint: tree, sizes, baseCommit: base, since }: PassRecord): Judged {
  const { gates, environment } = key;
  return { gates, environment, tree, sizes, base, whole: true, reused: true, excused: since !== undefined };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Scans only as far as it takes to tell whether this tree is one we know. */
async function scanTree({ settings, session, stateDir }: Project, { tree, past }: Known) {
  const { pass } = past.workTree;
  const { gaveUpOn } = retriesIn(session.value, settings.root);
  const kept = pass && passIndexOf(stateDir, pass);
  const mayBePass = kept !== undefined && !tree.mayHoldGit(); // under the lock, the next run ends what holds a killed one
  const [isPassTree, baseCommit, fingerprint] = await Promise.all([
    mayBePass && tree.isUnchangedSince(kept),
    mayBePass ? tree.baseCommit() : undefined,
    gaveUpOn === undefined ? undefined : tree.state(),
  ]);
  const reference = startIn(session.value, settings.root)?.tree ?? baseCommit ?? tree.head().commit;
  return { isPassTree, fingerprint, baseCommit, reference };
}
