import { Prompt } from "./prompt.ts";
import { printLine, type Terminal } from "./terminal.ts";

/** Asks on a terminal; elsewhere running the command is the answer. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  if (!terminal.isInteractive) return true;
  using prompt = new Prompt(terminal);
  const answer = await prompt.ask(question, "no");
  if (answer === "cancelled") printLine(terminal.stdout);
  return answer === "yes";
}
