import { Prompt } from "./prompt.ts";
import type { Terminal } from "./terminal.ts";

/** Asks a person; where nobody is there to be asked the answer is what the flags already said. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  if (!terminal.isInteractive) return true;
  using prompt = new Prompt(terminal);
  return (await prompt.ask(`${question} (y/n): `)) === "yes";
}
