import { fileMatcher } from "../../../config/entry-point.ts";
import { type ProtectedFile, protectedFileFinder } from "../../../config/protected-files.ts";
import { type ProjectPath, projectPath } from "../../../path.ts";
import { type EarlierTree, findEarlierTree } from "../../../run/earlier-tree.ts";
import { Git } from "../../../system/git/git.ts";
import { OverlayTrees, type TreeBlob, type TreeChange } from "../../../system/git/overlay-tree.ts";
import { Repository } from "../../../system/git/repository.ts";
import type { StoredTree } from "../../../system/git/scratch-tree.ts";
import { explain, ok, type Result } from "../../../trouble.ts";
import { withPartOf } from "./settings-parts.ts";
import type { GuardedRun } from "../guarded-run.ts";

export interface ChangedFile extends TreeChange {
  readonly path: ProjectPath;
  readonly file: ProtectedFile;
}

/** What became of the protected files since the session began. */
export interface ProtectedChange extends Disposable {
  readonly repository: Repository;
  readonly trees: OverlayTrees;
  readonly earlier: EarlierTree;
  readonly now: StoredTree;
  readonly files: readonly ChangedFile[];
  /** What changed beside them. */
  readonly others: readonly ProjectPath[];
}

/** Or why it is not known. */
export async function protectedChange(run: GuardedRun): Promise<ProtectedChange | string> {
  const { project, request, planned } = run;
  const { settings, signal } = project;
  const repository = await Repository.around(new Git(settings.root, signal));
  if (repository === undefined) return "this is not a git repository";
  const earlier = await findEarlierTree(repository, project, request, planned);
  if (!earlier.ok) return explain(earlier.trouble);
  const written = await planned.snapshot.writeTree();
  if (written.kind === "none") return `the files cannot be copied: ${written.reason}`;
  const { directory } = planned.snapshot;
  const objects = directory === undefined ? [] : [directory];
  const now = { tree: written.hash, objects, head: planned.detected.changes.head };
  const trees = new OverlayTrees(repository, [earlier.value, now]);
  const changed = await trees.changes(earlier.value.tree, now.tree);
  if (!changed.ok) {
    trees[Symbol.dispose]();
    return explain(changed.trouble);
  }
  const inProject = inside(changed.value, repository.places.prefix);
  const found = await withoutOthersWork(inProject, { repository, trees, from: earlier.value, now });
  const protectedOf = protectedFileFinder(settings);
  const { guardsIgnore = [] } = settings;
  const isIgnored = guardsIgnore.length === 0 ? () => false : fileMatcher(guardsIgnore);
  const files: ChangedFile[] = [];
  for (const change of found) {
    const file = isIgnored(change.path) ? undefined : protectedOf(change.path);
    if (file !== undefined && (await isPartChanged({ ...change, file }, trees)))
      files.push({ ...change, file });
  }
  const others = found.map(({ path }) => path).filter((path) => protectedOf(path) === undefined);
  return {
    repository,
    trees,
    earlier: earlier.value,
    now,
    files,
    others,
    [Symbol.dispose]: () => trees[Symbol.dispose](),
  };
}

type PlacedChange = TreeChange & { readonly path: ProjectPath };

function inside(changes: readonly TreeChange[], prefix: string): readonly PlacedChange[] {
  return changes
    .filter(({ name }) => name.startsWith(prefix))
    .map((change) => ({ ...change, path: projectPath(change.name.slice(prefix.length)) }));
}

interface Others {
  readonly repository: Repository;
  readonly trees: OverlayTrees;
  readonly from: EarlierTree;
  readonly now: StoredTree;
}

/** What a pull or a merge brought is not the agent's doing: committed as it is, by somebody else. */
async function withoutOthersWork(
  changes: readonly PlacedChange[],
  { repository, trees, from, now }: Others,
): Promise<readonly PlacedChange[]> {
  const { top } = repository;
  const { commit } = repository.head();
  if (from.head === undefined || commit === undefined || commit === from.head) return changes;
  const log = ["log", "-c", "-z", "--no-renames", "--name-only", "--format=%x01%ae%x01%ce%x01"];
  const [logged, uncommitted, who] = await Promise.all([
    top.output([...log, `${from.head}..${commit}`]),
    trees.changes(commit, now.tree),
    top.ask(["config", "user.email"]),
  ]);
  if (!logged.ok || !uncommitted.ok) return changes;
  const self = who.ok ? who.value.stdout.toString().trim() : "";
  const own = new Set(uncommitted.value.map(({ name }) => name));
  const theirs = new Set<string>();
  for (const [, author, committer, names = ""] of logged.value.toString().matchAll(LOGGED)) {
    const to = author === self && committer === self ? own : theirs;
    for (const name of names.split(/[\0\n]/)) to.add(name);
  }
  return changes.filter(({ name }) => own.has(name) || !theirs.has(name));
}

const LOGGED = /\u0001([^\u0001]*)\u0001([^\u0001]*)\u0001([^\u0001]*)/g;

/** The work tree with the protected files as they were when the session began. */
export async function withOriginalFiles(change: ProtectedChange): Promise<Result<StoredTree>> {
  const { trees, now, files } = change;
  const names = [];
  for (const one of files)
    names.push({ name: one.name, blob: await mixed(one.after, one.before, one, trees) });
  const tree = await trees.write(now.tree, names);
  return tree.ok ? ok({ ...tree.value, head: now.head }) : tree;
}

/** Everything as it was when the session began, with the protected files as they are now. */
export async function withNewFiles(change: ProtectedChange): Promise<Result<StoredTree>> {
  const { trees, earlier, files } = change;
  const names = [];
  for (const one of files)
    names.push({ name: one.name, blob: await mixed(one.before, one.after, one, trees) });
  const tree = await trees.write(earlier.tree, names);
  return tree.ok ? ok({ ...tree.value, head: earlier.head }) : tree;
}

/** A dependency that was added to a file with settings changes none of them. */
async function isPartChanged(change: ChangedFile, trees: OverlayTrees): Promise<boolean> {
  if (change.file.part === undefined) return true;
  const original = await mixed(change.after, change.before, change, trees);
  return original?.id !== change.after?.id;
}

/** The wanted content; of a file of which only a part is protected, that part in the other content. */
async function mixed(
  rest: TreeBlob | undefined,
  wanted: TreeBlob | undefined,
  { file: { part } }: ChangedFile,
  trees: OverlayTrees,
): Promise<TreeBlob | undefined> {
  if (part === undefined) return wanted;
  if (rest === undefined || wanted === undefined) return rest;
  const [text, other] = [await trees.text(rest), await trees.text(wanted)];
  const merged = text.ok && other.ok ? withPartOf(text.value, other.value, part) : undefined;
  const stored = merged === undefined ? undefined : await trees.store(merged);
  return stored?.ok === true ? { mode: rest.mode, id: stored.value } : rest;
}
