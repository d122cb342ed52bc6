import { cutText } from "./cut-text.ts";
import type { Problem } from "./problem.ts";

/** `file:line:column severity code: message`, the form agents, editors and terminals understand. */
export function problemLine(problem: Problem, maxMessageChars: number): string {
  const { test, severity, code, message } = problem;
  const what = code === undefined ? severity : `${severity} ${code}`;
  const name = test === undefined ? what : `failed: ${cutText(test, LONGEST_NAME)}`;
  const said = cutText(message, maxMessageChars);
  const label = said === "" ? name : `${name}: ${said}`;
  return [problemPlace(problem), label].filter((part) => part !== "").join(" ");
}

/** The line with what helps to understand it, indented below. */
export function problemBlock(problem: Problem, maxExcerptChars: number): string {
  const line = problemLine(problem, LONGEST_MESSAGE);
  const excerpt = cutText(problem.excerpt ?? "", maxExcerptChars);
  return excerpt === "" ? line : `${line}\n${excerpt.replace(/^(?=.*\S)/gm, "    ")}`;
}

/** `file:line:column`, as far as it is known. */
export function problemPlace({ file, line, column }: Problem): string {
  return [file, file === undefined ? undefined : line, line === undefined ? undefined : column]
    .filter((part) => part !== undefined)
    .join(":");
}

const LONGEST_MESSAGE = 600;
const LONGEST_NAME = 300;
