import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { commandReviewer } from "./command.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { githubCopilot } from "./github-copilot.ts";
import type { Reviewer } from "./reviewer.ts";

/** Every reviewer we know by name; a new one is a file and a row here. */
export const REVIEWERS: readonly Reviewer[] = [claude, codex, gemini, githubCopilot, cursor];

/** The reviewer that an entry of `cli_preference` means. */
export function findReviewer(preference: string): Reviewer | undefined {
  return REVIEWERS.find(({ name }) => name === preference.trim()) ?? commandReviewer(preference.trim());
}
