import { type Command, InvalidArgumentError } from "commander";

/** Shows command lines to copy below the help of a command. */
export function addExamples(command: Command, ...lines: readonly string[]): void {
  command.addHelpText("after", ["", "Examples:", ...lines.map((line) => `  $ ${line}`)].join("\n"));
}

/** Reads an option that may be given several times. Has no default, so that help shows none. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** Reads an option that counts: 1, 2, 3. */
export function readCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number, 1 or more.");
}

export function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("A port is a number from 1 to 65535.");
}
