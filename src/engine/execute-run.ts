import { diagnosticLine } from "../core/diagnostic.ts";
import { endingGitWith } from "../machine/git.ts";
import { trace } from "../machine/trace.ts";
import { type BoundedRequest, withDeadline } from "./deadline.ts";
import { openProject, type Project } from "./project.ts";
import { reasonNotToRun } from "./reason-not-to-run.ts";
import type { RunRequest, RunResult } from "./run-request.ts";
import { troubleResult } from "./run-result.ts";

/** Runs a project's gates. Never exits the process, never writes to stdout, never throws for expected trouble. */
export async function executeRun(request: RunRequest): Promise<RunResult> {
  trace("engine loaded");
  const project = await openProject(request);
  trace("settings read");
  if (!project.ok) return troubleResult(project.trouble);
  for (const warning of project.value.warnings)
    request.onEvent?.({ kind: "warned", message: diagnosticLine(warning) });
  const bounded = withDeadline(request, project.value);
  return endingGitWith(bounded.signal, () => runTraced(project.value, bounded));
}

async function runTraced(project: Project, request: BoundedRequest): Promise<RunResult> {
  if (!project.settings.debugLog.enabled) return runIfNeeded(project, request);
  const { traceRequest } = await import("./trace-request.ts");
  const noteResult = traceRequest(project, request);
  const result = await runIfNeeded(project, request);
  noteResult(result);
  return result;
}

async function runIfNeeded(project: Project, request: BoundedRequest): Promise<RunResult> {
  const unneeded = request.checkInterval ? await reasonNotToRun(project, request) : undefined;
  trace("decided whether to run");
  if (unneeded !== undefined) return unneeded;
  const { runProject } = await import("./run-project.ts");
  return runProject(project, request);
}
