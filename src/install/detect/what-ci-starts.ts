import { type DetectedCheck, type Project, programOf } from "./project.ts";
import { packageScripts, runOf } from "./node.ts";

/** A check for which the workflows of the project start a database or a browser is proposed as a comment, with the reason. */
export function withWhatCiStarts(
  checks: readonly DetectedCheck[],
  project: Project,
): readonly DetectedCheck[] {
  if (project.jobs.length === 0) return checks;
  const scripts = packageScripts(project, "package.json");
  return checks.map((check) => {
    if (!/(?:^|-)(?:tests?|unit|check|verify)$/.test(check.name)) return check;
    const script = /^(?:npm|pnpm|yarn|bun)(?: run)? ([\w:-]+)$/.exec(check.command)?.[1];
    const jobs = project.jobs.filter(({ text }) => commandIn(check, script).test(text));
    const starts = jobs.map(({ text, file }) => ({ file, what: SERVICE.exec(text)?.[1] }));
    const [first] = starts;
    if (first !== undefined && starts.every(({ what }) => what !== undefined))
      return { ...check, doubt: `${first.file} starts ${first.what} for it` };
    const opensBrowser = script !== undefined && BROWSER.test(scripts[script] ?? "");
    return opensBrowser && jobs.some(({ text }) => INSTALLS_BROWSER.test(text))
      ? { ...check, doubt: "it needs a browser, which the workflow installs" }
      : check;
  });
}

/** How a line of a workflow runs the same. */
function commandIn({ command }: DetectedCheck, script: string | undefined): RegExp {
  if (script !== undefined) return runOf(script);
  const program = programOf(command).replace(/^.*\//, "");
  const subcommand = /^\S+(?: run)?(?: -\S+)* ([a-z][\w-]*)/.exec(command)?.[1];
  const words = subcommand === undefined ? [program] : [program, subcommand];
  return new RegExp(`\\b${words.map((word) => word.replaceAll(/[^\w-]/g, ".")).join("\\b.*\\b")}\\b`);
}

const SERVICE =
  /^ {4,}services:\s*\n(?:.*\n)*?.*\bimage:\s*["']?(?:[\w.-]+\/)*(postgres|postgis|mysql|mariadb|mongo|redis|valkey|elasticsearch|opensearch|rabbitmq|minio|localstack)\b/m;
const BROWSER = /\b(?:playwright test|cypress run|karma start|wdio|testcafe|puppeteer)\b/;
const INSTALLS_BROWSER = /playwright install|cypress-io\/github-action|setup-chrome|setup-firefox|xvfb-run/;
