/** What is caught here is a bug of ours; hooks catch theirs themselves, to answer. */
export async function main(command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(bugReport(error));
  }
}

function bugReport(error: unknown): string {
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  const detail = process.env["AGENT_GAUNTLET_DEBUG"] ? `${stack ?? message}\n` : "";
  return `agent-gauntlet: internal error: ${message}\n${detail || "Set AGENT_GAUNTLET_DEBUG=1 to see where.\n"}`;
}
