import { PACKAGE } from "../package-name.ts";
import { stringify } from "yaml";
import type { DetectedScope } from "./detect/detect-checks.ts";
import { type DetectedCheck, isActive, whyInactive } from "./detect/project.ts";
import { Git } from "../system/git/git.ts";

export interface StarterConfig {
  readonly scopes: readonly DetectedScope[];
  readonly hasOwnChecks: boolean;
  /** What changes are compared with; absent outside git. */
  readonly baseBranch?: string | undefined;
  /** Checks that are red already, and are to block only for what is new. */
  readonly onlyNew?: readonly string[];
  /** Where an editor finds the schema, relative to the file; absent where the project has none. */
  readonly schema?: string | undefined;
}

/** The first `.gauntlet/config.yml` of a project: its own checks, and what it otherwise needs to gate anything. */
export function starterConfig(config: StarterConfig): string {
  const { scopes, hasOwnChecks, baseBranch, schema, onlyNew = [] } = config;
  const checks = scopes.flatMap((scope) => scope.checks);
  const isWorkspace = scopes.some(({ packages }) => packages !== undefined);
  const blocks = [head(schema !== undefined)];
  if (schema !== undefined) blocks.unshift(`# yaml-language-server: $schema=${schema}\n`);
  if (baseBranch !== undefined)
    blocks.push(`# Changes are compared with this branch.\n${line({ base_branch: baseBranch })}`);
  blocks.push(hasOwnChecks ? OWN_CHECKS : checksBlock(checks, onlyNew));
  blocks.push(isWorkspace ? AUTO : entryPointsBlock(scopes));
  return [...blocks, TAIL].join("\n");
}

/** A project that has the schema has the program, and npx starts that one. */
function head(hasProgram: boolean): string {
  const start = hasProgram ? `npx ${PACKAGE}` : "agent-gauntlet";
  return `# What must pass before a coding agent may stop.
#   ${start} run        run it now
#   ${start} validate   check this file
`;
}

const TAIL = `# How many times a failing stop is blocked before the agent is let go, with a warning to you.
max_retries: 3

# What is shown to you when a change makes the gates greener without a fix; \`block\` makes the agent undo it or give a reason.
guards:
  weakened-tests: tell
  suppressions: tell
  fewer-tests: tell
  original-tests: tell

stop_hook:
  # After a block the agent stops again: \`enforce\` checks that stop, too, so that a fix is verified.
  when_active: enforce
  # While another session or a terminal runs the gates here: \`wait\` for it instead of letting the agent go unchecked.
  when_busy: wait
  # Changed gates are shown to you. \`hold\` keeps checking with those the session began with.
  when_gates_change: tell
`;

const OWN_CHECKS =
  "# The checks of this project are the files in .gauntlet/checks/; more can be listed here.\n# checks:\n";

function checksBlock(checks: readonly DetectedCheck[], onlyNew: readonly string[]): string {
  const lines =
    checks.length === 0
      ? "  # No checks were recognised. The smallest is one line:\n  # test: make test\n"
      : checks.map((check) => checkLines(check, onlyNew.includes(check.name))).join("");
  return `# A check passes when its command exits with 0.\nchecks:\n${lines}`;
}

/** One that could only be red or proves nothing waits as a comment. */
function checkLines(check: DetectedCheck, isOnlyNew: boolean): string {
  const { name, command, source, env, files, fix, needs, workingDirectory, timeout } = check;
  const why = whyInactive(check);
  const more = {
    working_directory: workingDirectory,
    files,
    env,
    needs,
    timeout,
    only_new: isOnlyNew || undefined,
  };
  const isShort = Object.values(more).every((value) => value === undefined) && fix === undefined;
  const value = isShort ? command : { command, ...more };
  const note = why === undefined ? source : `${source}; ${why}`;
  const [first = "", ...rest] = line({ [name]: value })
    .trimEnd()
    .split("\n");
  const mended =
    fix === undefined ? [] : [`    # ${line({ fix }).trimEnd()} # edits your files before they are judged`];
  const lines = [`  ${first} # ${note}`, ...rest.map((one) => `  ${one}`), ...mended];
  const written = why === undefined ? lines : lines.map((one) => one.replace(/^ {2}/, "  # "));
  return [...written, ""].join("\n");
}

const AUTO = `# A workspace: every check runs in each package that changed, and in those that depend on it.
entry_points: auto
`;

/** Only where there is more than one place with checks: otherwise every check looks after everything. */
function entryPointsBlock(scopes: readonly DetectedScope[]): string {
  const places = scopes.filter(({ checks }) => checks.length > 0);
  if (places.every(({ path }) => path === ".")) return ENTRY_POINTS_EXAMPLE;
  const hasActive = places.some(({ checks }) => checks.some(isActive));
  const key = hasActive ? "entry_points:" : "# entry_points:";
  return `# Which checks cover which paths; they run in that directory.\n${key}\n${places.map(entryPoint).join("")}`;
}

/** A check that is a comment may not be named. */
function entryPoint({ path, checks }: DetectedScope): string {
  const active = namesOf(checks.filter(isActive));
  const waiting = checks.filter((check) => !isActive(check));
  if (active.length === 0) return `  # - path: ${yaml(path)}\n  #   checks: ${yaml(namesOf(waiting))}\n`;
  const note = waiting.length === 0 ? "" : ` # ${notes(waiting)}`;
  return `  - path: ${yaml(path)}\n    checks: ${yaml(active)}${note}\n`;
}

function notes(waiting: readonly DetectedCheck[]): string {
  const isMissing = waiting.every(({ missing }) => missing !== undefined);
  return `${namesOf(waiting).join(", ")}: ${isMissing ? "not installed here" : "see above"}`;
}

function namesOf(checks: readonly DetectedCheck[]): readonly string[] {
  return checks.map(({ name }) => name);
}

const ENTRY_POINTS_EXAMPLE = `# Every check covers everything. For one that covers only a path:
# entry_points:
#   - path: services/api
#     checks: [test]
`;

function line(map: Readonly<Record<string, unknown>>): string {
  return stringify(map, { lineWidth: 0 });
}

function yaml(value: string | readonly string[]): string {
  return stringify(value, { lineWidth: 0, collectionStyle: "flow", flowCollectionPadding: false }).trimEnd();
}

const MAIN_NAMES = ["main", "master", "trunk"];

/**
 * The branch to compare changes with: the default branch of the remote, else the local main line. Undefined outside git.
 * A repository whose branches have other names is compared with the one it is on.
 */
export async function mainBranch(root: string): Promise<string | undefined> {
  const refs = await linesOf(root, [
    "for-each-ref",
    "--format=%(refname) %(symref)",
    "refs/heads",
    "refs/remotes",
  ]);
  if (refs === undefined) return undefined;
  const branches = refs.map((line) => line.split(" ")).map(([name = "", target = ""]) => ({ name, target }));
  const names = new Set(branches.map(({ name }) => name));
  const head =
    remoteHead(branches) ?? knownRemote(names) ?? MAIN_NAMES.find((name) => names.has(`refs/heads/${name}`));
  return head ?? (await linesOf(root, ["symbolic-ref", "--short", "HEAD"]))?.[0];
}

interface Branch {
  readonly name: string;
  /** What it stands for, where it is but another name. */
  readonly target: string;
}

function remoteHead(branches: readonly Branch[]): string | undefined {
  const heads = branches.filter(
    ({ name, target }) => /^refs\/remotes\/[^/]+\/HEAD$/.test(name) && target !== "",
  );
  const head = heads.find(({ name }) => name === "refs/remotes/origin/HEAD") ?? heads[0];
  return head?.target.replace("refs/remotes/", "");
}

/** `git remote add` and `git fetch` do not say which branch is the default. */
function knownRemote(names: ReadonlySet<string>): string | undefined {
  return MAIN_NAMES.map((name) => `origin/${name}`).find((name) => names.has(`refs/remotes/${name}`));
}

async function linesOf(root: string, args: readonly string[]): Promise<readonly string[] | undefined> {
  const answer = await new Git(root).ask(args);
  if (!answer.ok || answer.value.exitCode !== 0) return undefined;
  return answer.value.stdout.toString().split("\n").filter(Boolean);
}
