import { stringify } from "yaml";
import type { DetectedScope } from "./detect/detect-checks.ts";
import type { DetectedCheck } from "./detect/project.ts";

export interface StarterConfig {
  readonly scopes: readonly DetectedScope[];
  /** Whether `.gauntlet/checks/` already holds some. */
  readonly hasOwnChecks: boolean;
  /** What changes are compared with; absent outside git. */
  readonly baseBranch?: string | undefined;
  /** Where an editor finds the schema, relative to the file; absent where the project has none. */
  readonly schema?: string | undefined;
}

/** The first `.gauntlet/config.yml` of a project: its own checks, and what it otherwise needs to gate anything. */
export function starterConfig({ scopes, hasOwnChecks, baseBranch, schema }: StarterConfig): string {
  const checks = scopes.flatMap((scope) => scope.checks);
  return [
    ...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}\n`]),
    HEAD,
    ...(baseBranch === undefined
      ? []
      : [`# Changes are compared with this branch.\n${line({ base_branch: baseBranch })}`]),
    hasOwnChecks ? OWN_CHECKS : checksBlock(checks),
    entryPointsBlock(scopes),
    TAIL,
  ].join("\n");
}

const HEAD = `# What must pass before a coding agent may stop.
#   agent-gauntlet run        run it now
#   agent-gauntlet validate   check this file
`;

const TAIL = `# How many times a failing stop is blocked before the agent is let go, with a warning to you.
max_retries: 3

stop_hook:
  # The host says when the agent stops again after a block: \`enforce\` checks that stop too, so a fix is verified.
  when_active: enforce
  # While another session or a terminal runs the gates here: \`wait\` for it instead of letting the agent go unchecked.
  when_busy: wait
`;

const OWN_CHECKS =
  "# The checks of this project are the files in .gauntlet/checks/; more can be listed here.\n# checks:\n";

function checksBlock(checks: readonly DetectedCheck[]): string {
  const lines =
    checks.length === 0
      ? "  # No checks were recognised. The smallest is one line:\n  # test: make test\n"
      : checks.map(checkLines).join("");
  return `# A check passes when its command exits with 0.\nchecks:\n${lines}`;
}

function checkLines({ name, command, source, env, missing }: DetectedCheck): string {
  const value = env === undefined ? command : { command, env };
  const note = missing === undefined ? source : `${source}; ${missing} is not installed here`;
  const [first = "", ...more] = line({ [name]: value })
    .trimEnd()
    .split("\n");
  return [`  ${first} # ${note}`, ...more.map((rest) => `  ${rest}`), ""].join("\n");
}

/** Only where there is more than one place with checks: otherwise every check looks after everything. */
function entryPointsBlock(scopes: readonly DetectedScope[]): string {
  const places = scopes.filter(({ checks }) => checks.length > 0);
  if (places.every(({ path }) => path === ".")) return ENTRY_POINTS_EXAMPLE;
  const lines = places.map(
    ({ path, checks }) => `  - path: ${yaml(path)}\n    checks: ${yaml(checks.map(({ name }) => name))}\n`,
  );
  return `# Which checks look after which paths; they run in that directory.\nentry_points:\n${lines.join("")}`;
}

const ENTRY_POINTS_EXAMPLE = `# Every check looks after everything. For one that looks after a path alone:
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
