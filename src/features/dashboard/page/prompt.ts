import type { ProblemView, RunPage } from "../page-data.ts";

interface Found {
  readonly file: string | undefined;
  readonly problem: ProblemView;
}

export function promptOf({ project }: RunPage, found: readonly Found[]): string {
  const [first] = found;
  const what = found.length === 1 ? "this problem" : `these ${found.length} problems`;
  const gates = [...new Set(found.map(({ problem }) => problem.gate))].join(", ");
  if (first === undefined) return "";
  return [`In ${project}, the gate ${gates} does not pass. Fix ${what}:`, ...found.map(textOf)].join("\n\n");
}

function textOf({ file, problem }: Found): string {
  const { line, column, severity, message, code, test, excerpt, frame } = problem;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const head = [place, severity, message, code === undefined ? "" : `(${code})`].filter(Boolean).join(" ");
  const lines = frame?.lines.map((text, at) => {
    const number = frame.first + at;
    return `${number === line ? ">" : " "} ${number} | ${text}`;
  });
  const detail = excerpt ?? lines?.join("\n");
  return [head, test === undefined ? undefined : `Test: ${test}`, detail].filter(Boolean).join("\n");
}
