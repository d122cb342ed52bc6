import { basename, dirname } from "node:path/posix";
import type { Notice } from "../stop/notices.ts";
import { startIn } from "../stop/session.ts";
import { isGreen } from "../stop/status.ts";
import { isAsStamped } from "../system/files/file-stamp.ts";
import { Git } from "../system/git/git.ts";
import { gitVariablesHash } from "../system/git/ignore-settings.ts";
import { isOfTools } from "../system/git/own-ignores.ts";
import { diagnosticLine } from "../trouble.ts";
import type { Project } from "./open.ts";
import type { RunRequest } from "./request.ts";
import type { RunResult } from "./result.ts";
import { stages } from "./stages.ts";

/** What the user should know of a project once a run in it is over. */
export async function noticesOfRun(
  project: Project,
  request: RunRequest,
  result: RunResult,
): Promise<readonly Notice[]> {
  return [
    ...(await changedIgnoreSettings(project)),
    ...uncheckedCommits(result),
    ...configurationWarnings(project),
    ...(await filesHiddenByRules(project, request, result)),
    ...(await stashedWork(project, request, result)),
  ];
}

/** What git was told to ignore since the session began; most sessions leave that alone. */
async function changedIgnoreSettings({ settings, session, env }: Project): Promise<readonly Notice[]> {
  const { ignoreSettings: files = [], gitVariables } = startIn(session.value, settings.root) ?? {};
  const isSame = gitVariables === undefined || gitVariables === gitVariablesHash(env);
  if (isSame && files.every(isAsStamped)) return [];
  return (await stages.rare()).ignoreSettingsNotices(files, isSame ? undefined : env);
}

/** Gates that ran saw what is committed, too. */
function uncheckedCommits({ changes, outcomes }: RunResult): readonly Notice[] {
  const hidden = outcomes.length > 0 ? undefined : changes?.uncheckedCommits;
  return hidden === undefined ? [] : [{ rank: "not checked", key: "blind", text: hidden }];
}

function configurationWarnings({ warnings }: Project): readonly Notice[] {
  return warnings.map(diagnosticLine).map((text) => ({ rank: "configuration", key: text, text }));
}

/** What `.gitignore` files hide that were added or changed since the session began. */
async function filesHiddenByRules(
  project: Project,
  { event }: RunRequest,
  { changes, ignoreFiles = [] }: RunResult,
): Promise<readonly Notice[]> {
  if (event === undefined) return [];
  const { settings, session } = project;
  const start = startIn(session.value, settings.root);
  const known = start?.ignoreFiles ?? ignoreFiles;
  const ownLogs = `${settings.logDir}/.gitignore`;
  const added = ignoreFiles.filter(
    (name) => !known.includes(name) && !isOfTools(dirname(name)) && !name.endsWith(ownLogs),
  );
  const paths = (changes?.files ?? []).map(({ path }) => path);
  const changed = paths.filter((path) => basename(path) === ".gitignore");
  if (changed.length === 0 && added.length === 0) return [];
  const before = start?.head ?? changes?.baseCommit;
  return (await stages.rare()).hidingNotices(project, { changed, added, before });
}

/** Of a stop that follows a block: what passes now may be a tree without the work. */
async function stashedWork(
  { settings, session, signal }: Project,
  { event }: RunRequest,
  { status }: RunResult,
): Promise<readonly Notice[]> {
  const { lastStop } = session.value;
  const followsBlock = event !== undefined && lastStop?.verdict.decision === "block";
  if (!followsBlock || !isGreen(status)) return [];
  return (await stages.rare()).stashNotices(new Git(settings.root, signal), lastStop.at);
}
