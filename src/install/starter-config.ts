import { stringify } from "yaml";
import type { DetectedCheck } from "./detect/project.ts";

export interface StarterConfig {
  readonly checks: readonly DetectedCheck[];
  /** Whether `.gauntlet/checks/` already holds some. */
  readonly hasOwnChecks: boolean;
  readonly whenActive: "allow" | "enforce";
  /** Where an editor finds the schema, relative to the file; absent where the project has none. */
  readonly schema?: string | undefined;
}

/** The first `.gauntlet/config.yml` of a project: its own checks, and beside them what else can be said. */
export function starterConfig({ checks, hasOwnChecks, whenActive, schema }: StarterConfig): string {
  const forEditors = schema === undefined ? "" : `# yaml-language-server: $schema=${schema}\n#\n`;
  return `${forEditors}# What must hold before a coding agent may stop.
#   agent-gauntlet run        runs all of it now
#   agent-gauntlet validate   checks this file

# A check passes when its command exits with 0.
${hasOwnChecks ? OWN_CHECKS : checksBlock(checks)}
  # The long form, with everything that has another default:
  # integration:
  #   command: ./scripts/integration-tests
  #   timeout: 120            # seconds; 240 if not said
  #   parallel: false         # not beside other checks
  #   warn_only: true         # tell, but do not block
  #   fix_instructions: how-to-fix.md   # a file in .gauntlet/, shown to the agent

# Which checks look after which paths. Without this, all of them look after everything.
# entry_points:
#   - path: services/api
#     checks: [test]

# How often a failing stop is blocked before the agent is let go, loudly.
max_retries: 3

stop_hook:
  # After a block: \`allow\` lets the next stop of the same prompt through, so the fix is not verified;
  # \`enforce\` checks every stop until the checks pass or max_retries is used up.
  when_active: ${whenActive}
`;
}

const OWN_CHECKS =
  "# Those of this project are the files in .gauntlet/checks/; more can be listed here.\n# checks:";

function checksBlock(checks: readonly DetectedCheck[]): string {
  if (checks.length === 0)
    return `checks:\n  # Nothing was recognised here. The smallest check is one line:\n  # test: make test\n`;
  return `checks:\n${checks.map(checkLines).join("")}`;
}

function checkLines({ name, command, source, env }: DetectedCheck): string {
  const value = env === undefined ? command : { command, env };
  const [first = "", ...more] = stringify({ [name]: value }, { lineWidth: 0 })
    .trimEnd()
    .split("\n");
  return [`  ${first} # ${source}`, ...more.map((line) => `  ${line}`), ""].join("\n");
}
