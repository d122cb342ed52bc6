import { once } from "../../core/once.ts";
import { uniqueName } from "../files/files.ts";

/** The variable that marks every process of a run, so that none is missed when the run is killed before it wrote it down. */
export const RUN_ID_VARIABLE = "GAUNTLET_RUN_ID";

/** What marks the processes that we start for ourselves, such as git, before and beside the gates of a run. */
export const ownMark = once(uniqueName);
