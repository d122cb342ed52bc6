import { resolve } from "node:path";
import { loadSettings } from "../config/gauntlet/load.ts";
import { htmlReport } from "../features/dashboard/html-report.ts";
import { type AbsolutePath, absolutePath, projectPath } from "../path.ts";
import { explain, type Result } from "../trouble.ts";
import { collectReport } from "../run/read-outcome.ts";
import type { RunResult } from "../run/result.ts";
import { now } from "../system/clock.ts";
import { appendText, writeFileAtomic } from "../system/files/files.ts";
import { findProject } from "../system/files/find-project.ts";
import { githubAnnotations, githubSummary } from "../report/github.ts";
import { runJson } from "../report/json/run-json.ts";
import { junitReport } from "../report/junit.ts";
import type { RunReport } from "../report/run-report.ts";
import { sarifReport } from "../report/sarif.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { ReportTarget } from "./command-options.ts";
import { printLine, type Terminal } from "../report/terminal.ts";

export { htmlReport };

export async function writeReports(
  terminal: Terminal,
  result: RunResult,
  { targets, command, json }: { targets: readonly ReportTarget[]; command: string; json: boolean },
): Promise<void> {
  const root = findProject(terminal.cwd) ?? terminal.cwd;
  const report = await collectReport(root, result.outcomes, terminal.env);
  for (const target of targets) {
    const written =
      target.format === "github"
        ? await tellGithub(terminal, report, json)
        : writeFileAtomic(resolve(terminal.cwd, target.path), await text(target.format));
    if (!written.ok) printLine(terminal.stderr, explain(written.trouble));
  }

  async function text(format: "html" | "junit" | "sarif" | "json"): Promise<string> {
    switch (format) {
      case "html":
        return await htmlOf(terminal, absolutePath(root), result);
      case "json":
        return `${runJson(command, result, report)}\n`;
      case "junit":
        return junitReport(report);
      case "sarif":
        return sarifReport(report, packageJson.version);
    }
  }
}

/** Where the configuration cannot be read no gate ran, and the log directory does not matter. */
async function htmlOf(terminal: Terminal, root: AbsolutePath, result: RunResult): Promise<string> {
  const loaded = await loadSettings(root, terminal.env);
  const logDir = loaded.ok ? loaded.value.settings.logDir : projectPath("gauntlet_logs");
  const { status, outcomes, judged } = result;
  return htmlReport(
    terminal,
    { root, logDir },
    {
      status,
      outcomes,
      completedAt: now(),
      number: "runNumber" in result ? result.runNumber : undefined,
      branch: judged?.branch,
      head: judged?.commit,
    },
  );
}

/** Actions reads workflow commands on both streams; stdout may be taken by JSON. */
async function tellGithub(terminal: Terminal, report: RunReport, json: boolean): Promise<Result<void>> {
  (json ? terminal.stderr : terminal.stdout).write(githubAnnotations(report));
  const summary = terminal.env["GITHUB_STEP_SUMMARY"];
  return summary === undefined ? { ok: true, value: undefined } : appendText(summary, githubSummary(report));
}
