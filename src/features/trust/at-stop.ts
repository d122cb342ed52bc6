/** What the scripts of a stop use of trust: loaded by the few stops that need it. */
export { consentToStop } from "./consent.ts";
export { blockForChangedGates } from "./hold-up.ts";
export { removedConfigNotices, compareGates } from "./gate-changes.ts";
export { applyUserSkips } from "./user-skips.ts";
export { leftProjectNotice, otherPlaces, whichProject, withoutGatesNotices } from "./which-project.ts";
