import { adviseReport } from "../feedback/advise-report.ts";
import type { Terminal } from "../report/terminal.ts";
import { CONFIG_FILE } from "../system/files/find-project.ts";
import { Git } from "../system/git/git.ts";
import { type DetectedCheck, isActive } from "./detect/project.ts";
import { nameToType } from "./installation.ts";
import type { ConfigStep } from "./plan-config.ts";

/** What there is to know and to do after `init`, a line each; the last one is the next command. */
export async function nextSteps(config: ConfigStep, terminal: Terminal): Promise<readonly string[]> {
  const checks = config.kind === "new" ? config.scopes.flatMap((scope) => scope.checks) : [];
  const active = checks.filter(isActive);
  const isEmpty = config.kind === "new" && !config.hasOwnChecks && active.length === 0;
  const untested = checks.length > 0 && !checks.some(runsTests) ? [NO_TESTS] : [];
  const reports = active.flatMap((check) => {
    const advice = adviseReport(check);
    return advice === undefined ? [] : [`Better feedback for \`${check.name}\`: ${advice}.`];
  });
  const commit = config.kind === "new" ? await whatToCommit(config.isInGit, terminal) : [];
  const then = isEmpty ? " once that is done" : "";
  return [
    ...(isEmpty ? [whyEmpty(checks)] : untested),
    ...reports,
    ...commit,
    `Next: \`${nameToType(terminal)} run --all\` runs the checks${then}.`,
  ];
}

/** A configuration that git does not have gates this checkout alone. */
async function whatToCommit(isInGit: boolean, { cwd }: Terminal): Promise<readonly string[]> {
  if (!isInGit) return [NO_GIT];
  const ignored = await new Git(cwd).ask(["check-ignore", "--verbose", "--", CONFIG_FILE]);
  if (!ignored.ok || ignored.value.exitCode > 1) return [];
  if (ignored.value.exitCode === 1) return [`Commit ${CONFIG_FILE}, so that every checkout has the gates.`];
  const [rule = ""] = ignored.value.stdout.toString().split("\t");
  return [
    `! git ignores ${CONFIG_FILE} (${rule}): remove that rule and commit the file, or the gates exist in this checkout alone.`,
  ];
}

const NO_GIT =
  "! This is not a git repository: every check runs at every stop, because nothing says what changed, and `only_new` has nothing to compare with. `git init` changes that.";
const NOTHING_FOUND = `No checks were recognised, so nothing is checked yet: add yours to ${CONFIG_FILE}.`;
const NO_TESTS = `No tests were recognised: add a check that runs them to ${CONFIG_FILE}.`;
const NOTHING_INSTALLED = `No program of a check is installed, so nothing is checked yet: install them, then uncomment the checks in ${CONFIG_FILE}.`;
const NOTHING_ACTIVE = `Every check is commented out, so nothing is checked yet: fix what is said there, then uncomment them in ${CONFIG_FILE}.`;

function whyEmpty(checks: readonly DetectedCheck[]): string {
  if (checks.length === 0) return NOTHING_FOUND;
  return checks.every(({ missing }) => missing !== undefined) ? NOTHING_INSTALLED : NOTHING_ACTIVE;
}

function runsTests({ name, command }: DetectedCheck): boolean {
  return (
    /test|spec|tox|nox/i.test(command) || /(?:^|-)(?:tests?|unit|check|verify|build|pre-commit)$/.test(name)
  );
}
