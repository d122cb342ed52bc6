/** What git is asked once something may have changed, and what few repositories need: loaded in one piece. */
export { changesIn, changesWithoutGit, workTreeStatus } from "./changes.ts";
export { convertedFiles } from "./conversions.ts";
export { makeGitDir, settingsWithFilters } from "./scratch-git-dir.ts";
export { listUntracked, takeSnapshot } from "./snapshot.ts";
