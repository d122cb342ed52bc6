import type { CiPlan, ProvenGate } from "./ci-workflow.ts";
import type { RemoteSettings } from "../../config/settings.ts";
import { fail, ok, type Result } from "../../trouble.ts";
import { scratchDir } from "../../system/files/scratch.ts";
import { Commits } from "../../system/git/compare/base.ts";
import { Git } from "../../system/git/git.ts";
import { WorkTree } from "../../system/git/work-tree.ts";
import { verifyAttested, type Place, settingsOfCommit } from "./attestations.ts";
import { previewProject } from "../../run/preview.ts";
import { openProject, type Project } from "../../run/open.ts";

export interface CiRequest extends Place {
  /** The commit before a push, if the forge says it; all zeros mean none. */
  readonly base?: string | undefined;
  readonly allowedSigners?: string | undefined;
}

/** What a build has to run. If HEAD is the base itself, compares with the commit before. */
export async function planForCi(request: CiRequest): Promise<Result<CiPlan>> {
  const base = /^0*$/.test(request.base ?? "") ? undefined : request.base;
  const env = { ...request.env, CI: request.env["CI"] || "true" };
  const opened = await openProject({ cwd: request.root, env, base });
  if (!opened.ok) return opened;
  await using tree = await WorkTree.open(opened.value);
  const baseCommit = await tree.baseCommit();
  const isBase = baseCommit !== undefined && baseCommit === tree.head().commit;
  if (!isBase) return await planAgainst({ ...request, base, env }, opened.value, { tree, baseCommit });
  const parent = await new Commits(new Git(request.root)).resolve("HEAD^");
  if (base !== undefined || parent === undefined) return fail({ kind: "no-base", base: baseCommit });
  return await planForCi({ ...request, base: parent });
}

/** A change cannot vouch for itself: trust is read from the base commit. */
async function planAgainst(
  request: CiRequest,
  opened: Project,
  { tree, baseCommit }: { readonly tree: WorkTree; readonly baseCommit: string | undefined },
): Promise<Result<CiPlan>> {
  const { base: asked, env } = request;
  const { remote: _own, ...settings } = opened.settings;
  const trusted = baseCommit === undefined ? undefined : await remoteAt(baseCommit, request);
  const project: Project = {
    ...opened,
    settings: { ...settings, remote: trusted },
  };
  const preview = await previewProject(project, { cwd: request.root, env, base: asked, onlyShared: true });
  if (!preview.ok) return preview;
  const { changes, plan, reused } = preview.value;
  const attested = await attestedGates(request, baseCommit);
  if (!attested.ok) return attested;
  const { passed, by } = attested.value;
  const isAttested = ({ id }: { readonly id: string }): boolean => passed.includes(id);
  const proven: readonly ProvenGate[] = [
    ...reused.map(({ id, reason }) => ({ id, proof: reason })),
    ...plan.gates.filter(isAttested).map(({ id }) => ({ id, proof: by })),
  ];
  return ok({
    commit: tree.head().commit ?? null,
    tree: (await tree.fingerprint()) ?? null,
    comparedTo: changes.comparedTo,
    baseCommit: baseCommit ?? null,
    base: asked ?? null,
    gates: plan.gates.filter((planned) => !isAttested(planned)),
    proven,
    skipped: plan.skipped.filter(({ id }) => !reused.some((one) => one.id === id)),
    notes: changes.notes,
  });
}

async function remoteAt(commit: string, place: Place): Promise<RemoteSettings | undefined> {
  const settings = await settingsOfCommit(new Git(place.root), commit, place);
  return settings.ok ? settings.value?.remote : undefined;
}

interface AttestedGates {
  readonly passed: readonly string[];
  readonly by: string;
}

const NONE: AttestedGates = { passed: [], by: "" };

async function attestedGates(
  request: CiRequest,
  baseCommit: string | undefined,
): Promise<Result<AttestedGates>> {
  const { allowedSigners, root } = request;
  if (allowedSigners === undefined || baseCommit === undefined) return ok(NONE);
  const git = new Git(root);
  const signers = await git.output(["cat-file", "blob", `${baseCommit}:${allowedSigners}`]);
  if (!signers.ok) return ok(NONE); // the base does not have the file: no signer is allowed yet
  await using scratch = await scratchDir({ signers: signers.value.toString() });
  for (const revision of await sameFiles(git)) {
    const asked = { allowedSigners: `${scratch.path}/signers`, eachGate: true };
    const found = await verifyAttested(request, revision, asked);
    if (!found.ok) return found;
    if (found.value.kind === "not-attested") continue;
    const { commit, principal, signer, passed } = found.value;
    return ok({ passed, by: `${commit.slice(0, 7)} is attested by ${principal} (${signer})` });
  }
  return ok(NONE);
}

/** The checkout, and the head of the pull request if the forge's trial merge changed nothing. */
async function sameFiles(git: Git): Promise<readonly string[]> {
  const trees = await git.ask(["rev-parse", "HEAD^{tree}", "HEAD^2^{tree}"]);
  const [here, merged] =
    trees.ok && trees.value.exitCode === 0 ? trees.value.stdout.toString().split("\n") : [];
  return here !== undefined && here === merged ? ["HEAD", "HEAD^2"] : ["HEAD"];
}
