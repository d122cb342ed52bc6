/** The reviewers we know how to call. */
export const REVIEWER_NAMES = ["claude", "codex", "gemini", "github-copilot", "cursor"] as const;

/** Whether a preference names a known reviewer or any executable (`command:<shell line>`). */
export function isReviewer(name: string): boolean {
  return REVIEWER_NAMES.some((known) => known === name) || /^command:\s*\S/.test(name);
}
