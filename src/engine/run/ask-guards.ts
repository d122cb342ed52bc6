import { definedOnly } from "../../core/defined-only.ts";
import { coversGates } from "../../core/stop/gated-event.ts";
import { GUARDS } from "../../core/stop/guards.ts";
import type { PassRecord, SessionHistory } from "../../core/record/history.ts";
import { once } from "../../core/once.ts";
import { type Judged, notNeeded, type RunRequest, type RunResult } from "../../core/run.ts";
import { startIn } from "../../core/record/session-record.ts";
import { now } from "../../machine/clock.ts";
import type { WorkTree } from "../../machine/git/work-tree.ts";
import { prepareLogDir } from "../../machine/logs/log-dir.ts";
import { writeSession } from "../../machine/state/history.ts";
import { passIndexOf } from "../../machine/state/passes.ts";
import { announceState } from "../trust/kept-state.ts";
import type { Histories } from "./histories.ts";
import type { Project } from "./project.ts";

/** Why a stop needs no run: the first guard that says so. */
export async function askGuards(
  project: Project,
  request: RunRequest,
  { tree, workTree, session }: Histories & { readonly tree: WorkTree },
): Promise<RunResult | undefined> {
  const { event, record } = request;
  const { stopHook, gateHash } = project.settings;
  const look = once(() => lookAtTree(project, tree, { workTree, session, record }));
  const facts = { event, stopHook, gateHash, workTree, session, now: now(), inWords: isoTime, tree: look };
  for (const { when } of GUARDS) {
    const ended = await when?.(facts);
    if (ended === undefined) continue;
    const kept = ended.session && announceState(project, request, ended.session);
    if (ended.session !== undefined && !isRemembered(project, ended.session)) continue; // it could be repeated endlessly
    const unneeded = { ...notNeeded(ended.status, ended.facts), kept };
    return ended.pass === undefined ? unneeded : { ...unneeded, judged: judgedByPass(ended.pass) };
  }
  return undefined;
}

/** The recorded tree of the pass is this one: asking git for it again would cost a process. */
function judgedByPass({ gateHash: gates, fingerprint: tree, baseCommit: base, since }: PassRecord): Judged {
  return { gates, ...definedOnly({ tree, base }), whole: true, reused: true, excused: since !== undefined };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

function isRemembered({ logDir, session: key }: Project, session: SessionHistory): boolean {
  return prepareLogDir(logDir).ok && writeSession(logDir.stateDir, key, session).ok;
}

/** Looks only as far as it takes to tell whether this tree is one we know. */
async function lookAtTree(
  project: Project,
  tree: WorkTree,
  { workTree, session, record }: Pick<Histories, "workTree" | "session"> & Pick<RunRequest, "record">,
) {
  const { settings, passDir } = project;
  const { pass } = workTree;
  const isCovered = pass !== undefined && coversGates(pass.gateHash, settings.gateHash);
  const mayBePass = isCovered && !tree.mayHoldGit(); // under the lock, the next run ends what holds a killed one
  const [isPassTree, baseCommit, fingerprint] = await Promise.all([
    mayBePass && tree.isUnchangedSince(passIndexOf(passDir, pass.tree)),
    mayBePass ? tree.baseCommit() : undefined,
    session.gaveUpOn === undefined ? undefined : tree.fingerprint(),
  ]);
  const reference = startIn(record, settings.root)?.tree ?? baseCommit ?? tree.head().commit;
  return { isPassTree, fingerprint, baseCommit, reference };
}
