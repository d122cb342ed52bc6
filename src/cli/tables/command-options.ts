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

const FILE_FORMATS = ["html", "junit", "sarif", "json"] as const;

/** Where `run --report` sends what it found. */
export type ReportTarget =
  { readonly format: (typeof FILE_FORMATS)[number]; readonly path: string } | { readonly format: "github" };

/** Reads `html=PATH,junit=PATH,sarif=PATH,json=PATH,github`; may be given several times. */
export function readReportTargets(
  text: string,
  before: readonly ReportTarget[] = [],
): readonly ReportTarget[] {
  return [...before, ...text.split(",").map((part) => readTarget(part.trim()))];
}

function readTarget(part: string): ReportTarget {
  if (part === "github") return { format: "github" };
  const [name = "", ...rest] = part.split("=");
  const format = FILE_FORMATS.find((one) => one === name);
  const path = rest.join("=");
  if (format !== undefined && path !== "") return { format, path };
  throw new InvalidArgumentError(
    `"${part}" is not a report. Use html=PATH, junit=PATH, sarif=PATH, json=PATH or github, separated by commas.`,
  );
}
