import type { ChangedFile } from "./change-set.ts";
import { projectPath } from "../../path.ts";
import { splitNul } from "./git.ts";

export interface WorkTreeStatus {
  readonly branch?: string;
  readonly head?: string;
  readonly files: readonly ChangedFile[];
}

/** Reads `git diff --raw -z`: modes, ids and a letter, then one name, or two if a file was moved. */
export function parseRawDiff(output: Buffer): readonly ChangedFile[] {
  const fields = splitNul(output).values();
  const files: ChangedFile[] = [];
  for (const facts of fields) {
    const letters = facts.slice(facts.lastIndexOf(" ") + 1);
    const first = take(fields);
    const isMove = letters.startsWith("R") || letters.startsWith("C");
    const isRepository = facts.startsWith(":160000 ") || facts.startsWith("160000", 8);
    const file = isMove
      ? moved(letters, take(fields), first)
      : { path: projectPath(first), change: changeOf(letters) };
    files.push(isRepository ? { ...file, isRepository } : file);
  }
  return files;
}

/** Reads `git status --porcelain=v2 --branch -z`, whose paths start at the top of the repository. */
export function parseStatus(output: Buffer, prefix: string): WorkTreeStatus {
  const fields = splitNul(output).values();
  const inProject = (path: string): string => (path.startsWith(prefix) ? path.slice(prefix.length) : path);
  const files: ChangedFile[] = [];
  let branch: string | undefined;
  let head: string | undefined;
  for (const field of fields) {
    if (field.startsWith("# branch.oid ")) head = known(field.slice(13), "(initial)");
    else if (field.startsWith("# branch.head ")) branch = known(field.slice(14), "(detached)");
    else if (field.startsWith("? ")) files.push(untracked(inProject(field.slice(2))));
    else if (field.startsWith("1 ")) files.push(ordinary(field, inProject));
    else if (field.startsWith("2 "))
      files.push(moved("R", inProject(after(field, 9)), inProject(take(fields))));
    else if (field.startsWith("u "))
      files.push({ path: projectPath(inProject(after(field, 10))), change: "unmerged" });
  }
  return { files, branch, head };
}

function untracked(path: string): ChangedFile {
  const isRepository = path.endsWith("/");
  return {
    path: projectPath(path),
    change: "untracked",
    isRepository: isRepository || undefined,
  };
}

function ordinary(field: string, inProject: (path: string) => string): ChangedFile {
  const [index = ".", workTree = "."] = field.slice(2, 4);
  const isRepository = field.slice(5, 6) === "S";
  return {
    path: projectPath(inProject(after(field, 8))),
    change: changeOf(workTree === "." ? index : workTree),
    isRepository: isRepository || undefined,
  };
}

function moved(letters: string, to: string, from: string): ChangedFile {
  const path = projectPath(to);
  return letters.startsWith("R")
    ? { path, change: "renamed", from: projectPath(from) }
    : { path, change: "added" };
}

function changeOf(letter: string): ChangedFile["change"] {
  if (letter.startsWith("A")) return "added";
  if (letter.startsWith("D")) return "deleted";
  if (letter.startsWith("U")) return "unmerged";
  return "modified";
}

function after(line: string, count: number): string {
  let from = 0;
  for (let field = 0; field < count; field++) from = line.indexOf(" ", from) + 1;
  return line.slice(from);
}

function take(fields: Iterator<string>): string {
  const next = fields.next();
  return next.done === true ? "" : next.value;
}

function known(value: string, placeholder: string): string | undefined {
  return value === placeholder ? undefined : value;
}
