import { createInterface } from "node:readline/promises";
import type { Terminal } from "./terminal.ts";

/** Asks a person; where nobody is there to be asked the answer is what the flags already said. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  if (!terminal.isInteractive) return true;
  const lines = createInterface({ input: terminal.stdin, output: terminal.stdout });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} (y/n): `)).trim());
  } finally {
    lines.close();
  }
}
