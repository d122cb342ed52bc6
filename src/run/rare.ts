/** What few runs need, in one module: each of these alone would be a file to read, and together they are small. */
export { loadSettingsQuickly } from "../config/gauntlet/settings-cache.ts";
export { diagnoseBase } from "../config/diagnose-base.ts";
export { sessionTree } from "../system/git/kept-trees.ts";
export { endOrphans } from "../system/process/leftovers.ts";
export { lockReleased } from "../system/state/lock.ts";
export { checkLogDir } from "./check-log-dir.ts";
export { hidingNotices, ignoreSettingsNotices, stashNotices } from "./hidden-work.ts";
export { runOnGiveUp } from "./on-give-up.ts";
export { logRequest } from "./run-log.ts";
export { tidyUpIfDead } from "./tidy-up.ts";
