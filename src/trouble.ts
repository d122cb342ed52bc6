import { didYouMean } from "./words.ts";

/** Every expected thing that goes wrong on our side. A red gate is not trouble, it is an outcome. */
export type Trouble =
  | { readonly kind: "no-config"; readonly searchedFrom: string }
  | { readonly kind: "config-invalid"; readonly diagnostics: readonly Diagnostic[] }
  | {
      readonly kind: "lock-held";
      /** The lock is written in the way we do, but no run of this user has recorded that it holds it. */
      readonly isUnrecorded?: boolean;
      readonly pid: number;
      readonly since: string;
      /** Whether the same stop asked twice, another event of the same session, or somebody else. */
      readonly heldBy: "same-stop" | "same-session" | "run-ahead" | "other";
    }
  | { readonly kind: "git-failed"; readonly command: string; readonly detail: string }
  | { readonly kind: "signing-failed"; readonly command: string; readonly detail: string }
  | { readonly kind: "nothing-older"; readonly detail: string }
  | { readonly kind: "unknown-revision"; readonly revision: string }
  | { readonly kind: "no-base"; readonly base: string }
  | { readonly kind: "not-reached"; readonly what: string; readonly detail: string }
  | { readonly kind: "not-sent"; readonly detail: string }
  | {
      readonly kind: "library-missing";
      readonly library: string;
      readonly install: string;
      readonly detail: string;
    }
  | { readonly kind: "unknown-gate"; readonly name: string; readonly known: readonly string[] }
  | { readonly kind: "host-settings-invalid"; readonly diagnostic: Diagnostic; readonly snippet: string }
  | { readonly kind: "file-missing"; readonly path: string }
  | { readonly kind: "file-failed"; readonly action: string; readonly path: string; readonly detail: string }
  | {
      readonly kind: "text-invalid";
      readonly path: string;
      readonly detail: string;
      readonly line: number;
      readonly column: number;
    };

export type Result<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly trouble: Trouble };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function fail(trouble: Trouble): { readonly ok: false; readonly trouble: Trouble } {
  return { ok: false, trouble };
}

/** What happened, where, and what to type next. */
export function explain(trouble: Trouble): string {
  switch (trouble.kind) {
    case "no-config":
      return `No .gauntlet/config.yml in ${trouble.searchedFrom} or above it. Run \`agent-gauntlet init\` to create one.`;
    case "config-invalid":
      return ["The gauntlet configuration is not valid:", ...trouble.diagnostics.map(formatDiagnostic)].join(
        "\n",
      );
    case "lock-held":
      return `A gauntlet run is already in progress (pid ${trouble.pid}, since ${trouble.since})${trouble.isUnrecorded ? "; that is what the lock says, but no run of yours has recorded it" : ""}.`;
    case "git-failed":
    case "signing-failed":
      return `\`${trouble.command}\` failed: ${trouble.detail}`;
    case "nothing-older":
      return trouble.detail;
    case "unknown-revision":
      if (trouble.revision === "HEAD") return "There is no commit here yet.";
      return `git does not know the revision "${trouble.revision}". Check the spelling, or run \`git fetch\`.`;
    case "no-base":
      return `There is nothing to compare with: what is checked out is the base (${trouble.base.slice(0, 7)}) itself, and the commit before it is not here. Fetch more history (\`fetch-depth: 0\`), or give \`--base\`.`;
    case "not-reached":
      return `${trouble.what} cannot be reached: ${trouble.detail}`;
    case "not-sent":
      return trouble.detail;
    case "library-missing":
      return `the library ${trouble.library} cannot be loaded (${trouble.detail}). Install it beside agent-gauntlet: \`${trouble.install}\``;
    case "unknown-gate":
      return `There is no gate "${trouble.name}"${suggestion(trouble.name, trouble.known)} Known gates: ${trouble.known.join(", ") || "none"}.`;
    case "host-settings-invalid":
      return `${formatDiagnostic(trouble.diagnostic)}\n  → The file was left as it is. Repair it and try again, or add this to it by hand:\n\n${trouble.snippet}\n`;
    case "file-missing":
      return `${trouble.path} does not exist.`;
    case "text-invalid":
      return `Cannot read ${trouble.path} (line ${trouble.line}, column ${trouble.column}): ${trouble.detail}`;
    case "file-failed":
      return `Cannot ${trouble.action} ${trouble.path}: ${trouble.detail}`;
  }
}

function suggestion(name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known);
  return hint === undefined ? "." : `: ${hint}`;
}

/** One problem in one configuration file, with its place. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** As shown to the user: relative to the project root where possible. */
  readonly file: string;
  /** 1-based; absent when the problem is the file itself. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** The offending line of the file. */
  readonly excerpt?: string;
  /** What to type next. */
  readonly hint?: string;
}

/** `file:line:column: error: message`, the form editors and terminals make clickable, with hint and excerpt below. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, column, severity, message, excerpt, hint } = diagnostic;
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  const pointer = excerpt === undefined ? [] : [`    ${excerpt}`, `    ${" ".repeat(caretOffset(column))}^`];
  const advice = hint === undefined ? [] : [`  → ${hint}`];
  return [`${place}: ${severity}: ${message}`, ...pointer, ...advice].join("\n");
}

/** The same on one line, for places where a line is all there is. */
export function diagnosticLine({ file, line, column, message, hint }: Diagnostic): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return `${place}: ${message}${hint === undefined ? "" : ` → ${hint}`}`;
}

function caretOffset(column = 1): number {
  return Math.max(0, column - 1);
}
