import { join } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { type CiPlan, matrixOf, githubWorkflow } from "./ci-workflow.ts";
import { explain } from "../../trouble.ts";
import { planForCi } from "./ci-plan.ts";
import { appendText, isFile } from "../../system/files/files.ts";
import { findProject } from "../../system/files/find-project.ts";
import { createUserFile } from "../../system/files/user-file.ts";
import { Git } from "../../system/git/git.ts";
import { findPlaces } from "../../system/git/places.ts";
import { ciPlanJson } from "./json.ts";
import { counted } from "../../words.ts";
import { EXIT } from "../../report/exit-code.ts";
import { openSettings, refuse, tellTrouble } from "../../report/open-settings.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";

export interface CiOptions {
  readonly base?: string;
  readonly allowedSigners?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function ciCommand(terminal: Terminal, action: "init" | "plan", options: CiOptions): Promise<number> {
  return action === "init" ? initCi(terminal, options) : planCi(terminal, options);
}

const WORKFLOW = ".github/workflows/gauntlet.yml";

async function initCi(terminal: Terminal, options: CiOptions): Promise<number> {
  const asked = { command: "ci", json: options.json };
  const settings = await openSettings(terminal, asked);
  if (typeof settings === "number") return settings;
  const places = await findPlaces(new Git(settings.root));
  if (places === undefined) return refuse(terminal, "This is not a git repository.", asked);
  if (places.prefix !== "")
    return refuse(terminal, `Run it where the repository begins: ${places.top}.`, asked);
  const text = githubWorkflow({
    version: packageJson.version,
    logDir: settings.logDir,
    mainBranch: settings.baseBranch.replace(/^origin\//, ""),
    install: isFile(join(places.top, "package-lock.json")) ? "npm ci" : undefined,
    allowedSigners: options.allowedSigners,
  });
  if (options.dryRun) {
    terminal.stdout.write(text);
    return EXIT.ok;
  }
  const created = await createUserFile(join(places.top, WORKFLOW), text);
  if (!created.ok) return tellTrouble(terminal, created.trouble, asked);
  if (!created.value)
    return refuse(
      terminal,
      `${WORKFLOW} already exists and was left as it is. \`--dry-run\` shows the one we would write.`,
      asked,
    );
  printLine(terminal.stdout, `Wrote ${WORKFLOW}. Make its check \`gauntlet\` required.`);
  printLine(terminal.stdout, 'To skip what is proven: docs/fleet.md, "CI that believes what was proven".');
  return EXIT.ok;
}

async function planCi(terminal: Terminal, options: CiOptions): Promise<number> {
  const { env, cwd, stdout, stderr } = terminal;
  const { base, allowedSigners, json } = options;
  const planned = await planForCi({ root: findProject(cwd) ?? cwd, env, base, allowedSigners });
  if (!planned.ok) return tellTrouble(terminal, planned.trouble, { command: "ci", json });
  const plan = planned.value;
  for (const note of plan.notes) printLine(stderr, note);
  if (json) printLine(stdout, ciPlanJson(plan));
  else for (const line of lines(plan)) printLine(stdout, line);
  for (const [variable, text] of [
    ["GITHUB_OUTPUT", outputs(plan)],
    ["GITHUB_STEP_SUMMARY", summary(plan)],
  ] as const) {
    const file = env[variable];
    const written = file ? appendText(file, text) : undefined;
    if (written?.ok !== false) continue;
    printLine(stderr, explain(written.trouble));
    return EXIT.notOk;
  }
  return EXIT.ok;
}

function lines({ gates, proven, comparedTo }: CiPlan): readonly string[] {
  return [
    `${counted(gates.length, "gate")} to run, ${proven.length} proven, compared to ${comparedTo}`,
    ...gates.map(({ id, reason }) => `  run     ${id}  ${reason}`),
    ...proven.map(({ id, proof }) => `  proven  ${id}  ${proof}`),
  ];
}

/** JSON without a line break, so that no text in it can set another output. */
function outputs(plan: CiPlan): string {
  const include = matrixOf(plan.gates);
  return `matrix=${JSON.stringify({ include })}\ncount=${include.length}\nbase=${plan.base ?? ""}\n`;
}

function summary({ gates, proven, comparedTo }: CiPlan): string {
  return [
    `## Gauntlet: ${counted(gates.length, "gate")} to run, ${proven.length} proven`,
    "",
    `Compared to ${cell(comparedTo)}.`,
    "",
    ...(proven.length === 0 ? [] : ["| Proven gate | By |", "|---|---|"]),
    ...proven.map(({ id, proof }) => `| ${cell(id)} | ${cell(proof)} |`),
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
