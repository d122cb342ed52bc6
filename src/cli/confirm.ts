import { Prompt } from "./prompt.ts";
import { printLine, type Terminal } from "./terminal.ts";

/** Asks a person; where nobody is there to be asked the answer is what the flags already said. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  if (!terminal.isInteractive) return true;
  using prompt = new Prompt(terminal);
  const answer = await prompt.ask(`${question} (y/n): `);
  if (answer === "cancelled") printLine(terminal.stdout);
  return answer === "yes";
}
