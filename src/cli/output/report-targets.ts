import { InvalidArgumentError } from "commander";

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
