import type { PageData } from "./page-data.ts";

/** A page as the build leaves it: style and script in place, with room for the data. */
export interface PageShell {
  readonly html: string;
  /** `'sha256-…'` of the style and of the script, as a content security policy names them. */
  readonly style: string;
  readonly script: string;
}

const DATA = "__PAGE_DATA__";
const POLICY = "__PAGE_POLICY__";
const TITLE = "__PAGE_TITLE__";

/** One self-contained file. It may run its own script and nothing else; a report may not even ask a server. */
export function htmlPage(shell: PageShell, data: PageData): string {
  const values: Readonly<Record<string, string>> = {
    [TITLE]: escapeHtml(titleOf(data)),
    [POLICY]: policyOf(shell, data.kind === "dashboard" ? "'self'" : "'none'"),
    [DATA]: scriptJson(data),
  };
  return shell.html.replace(/__PAGE_(?:DATA|POLICY|TITLE)__/g, (name) => values[name] ?? "");
}

/** Without `frame-ancestors`, which counts only as a header. */
export function policyOf({ style, script }: PageShell, connect: "'self'" | "'none'"): string {
  return [
    "default-src 'none'",
    `script-src ${script}`,
    `style-src ${style}`,
    `connect-src ${connect}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function titleOf(data: PageData): string {
  if (data.kind === "dashboard") return "agent-gauntlet";
  const run = data.run === undefined ? "" : `, run ${data.run}`;
  return `${data.project}${run}: ${data.status.replaceAll("_", " ")}`;
}

/** JSON that cannot end the script element it stands in, whatever a gate has printed. */
function scriptJson(data: PageData): string {
  return JSON.stringify(data).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
