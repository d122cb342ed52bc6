import { posix } from "node:path";

export type IsInstalled = (program: string) => boolean;

export const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/;

/** Pages that say what to run before a change is done. */
export const GUIDES = ["AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md"];

export class Project {
  readonly files: readonly string[];
  readonly #texts: ReadonlyMap<string, string>;
  readonly isInstalled: IsInstalled;

  constructor(
    files: readonly string[],
    texts: ReadonlyMap<string, string>,
    isInstalled: IsInstalled = (program) =>
      !program.includes("/") || files.includes(posix.normalize(program)),
  ) {
    this.files = files;
    this.#texts = texts;
    this.isInstalled = isInstalled;
  }

  below(directory: string): Project {
    const inside = (path: string): string => path.slice(directory.length + 1);
    const files = this.files.filter((file) => file.startsWith(`${directory}/`)).map(inside);
    const texts = [...this.#texts].filter(([file]) => file.startsWith(`${directory}/`));
    return new Project(files, new Map(texts.map(([file, text]) => [inside(file), text])), (program) =>
      this.isInstalled(program.includes("/") ? posix.join(directory, program) : program),
    );
  }

  runnable(first: string, ...others: readonly string[]): string {
    return [first, ...others].find((command) => this.isInstalled(programOf(command))) ?? first;
  }

  find(...names: readonly string[]): string | undefined {
    return names.find((name) => this.files.includes(name));
  }

  has(...names: readonly string[]): boolean {
    return this.find(...names) !== undefined;
  }

  hasFile(pattern: RegExp): boolean {
    return this.files.some((file) => pattern.test(file));
  }

  text(name: string): string {
    return this.#texts.get(name) ?? "";
  }

  /** The first workflow of GitHub Actions that says so: what a build demands holds. */
  workflowWith(pattern: RegExp): string | undefined {
    return this.files.find((file) => WORKFLOW.test(file) && pattern.test(this.text(file)));
  }

  /** The jobs of its workflows, each with its text. */
  get jobs(): readonly Job[] {
    return this.files
      .filter((file) => WORKFLOW.test(file))
      .flatMap((file) => {
        const jobs = this.text(file).split(/^jobs:[ \t]*$/m)[1] ?? "";
        return jobs.split(/^ {2}(?=[\w-]+:)/m).map((text) => ({ file, text }));
      });
  }

  /** What a page for contributors or agents, or a workflow, names: the first group of the pattern. */
  documented(pattern: RegExp, guides?: readonly string[]): string | undefined {
    const pages = this.files.filter(
      (file) => guides?.includes(file) ?? (GUIDES.includes(file) || WORKFLOW.test(file)),
    );
    for (const page of pages) {
      const found = pattern.exec(this.text(page))?.[1];
      if (found !== undefined) return found;
    }
    return undefined;
  }

  says(pattern: RegExp, ...names: readonly string[]): boolean {
    return names.some((name) => pattern.test(this.text(name)));
  }
}

interface Job {
  readonly file: string;
  readonly text: string;
}

/** A check that starts servers leaves them running, or needs a machine that may run them. */
export const STARTS_SERVERS = /\bdocker(?:-| )compose\b.* up\b|\bdocker run\b.* (?:-d|--detach)\b/;

export interface DetectedCheck {
  readonly name: string;
  readonly command: string;
  readonly source: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly fix?: string;
  readonly workingDirectory?: string;
  /** Other checks that must have passed before. */
  readonly needs?: readonly string[];
  /** In seconds. */
  readonly timeout?: number;
  /** Its program, if that is not installed here. */
  readonly missing?: string;
  /** Why else it is proposed as a comment only: `it fails already`. */
  readonly doubt?: string;
}

export function isActive(check: Pick<DetectedCheck, "missing" | "doubt">): boolean {
  return whyInactive(check) === undefined;
}

export function whyInactive({
  missing,
  doubt,
}: Pick<DetectedCheck, "missing" | "doubt">): string | undefined {
  return missing === undefined ? doubt : `${missing} is not installed here`;
}

export function programOf(command: string): string {
  return command.split(" ")[0] ?? command;
}

export type Detector = (project: Project) => readonly DetectedCheck[];

export type Row = DetectedCheck & { readonly when: boolean };

export function rows(...table: readonly Row[]): readonly DetectedCheck[] {
  return table.flatMap(({ when, ...check }) => (when ? [check] : []));
}

/** A command of a git hook as a gate: what judges, and what mends, where the command does both. */
export interface Judging {
  readonly command: string;
  readonly fix?: string;
}

const RUNNER =
  /^(?:npx|bunx|pnpm exec|pnpm dlx|pnpm|yarn run|yarn|bun x|bun run|uv run|poetry run|pdm run|pipenv run|bundle exec)\s+(?:--no-install\s+|--yes\s+|--\s+)?/;

/** Tools that edit files, and how each is asked to judge instead. The first that fits counts. */
const FIXERS: readonly (readonly [tool: RegExp, from: RegExp, to: string])[] = [
  [/^prettier\b/, / (?:--write|-w)\b/, " --check"],
  [/^oxfmt\b/, / --write\b|$/, " --check"],
  [/^(?:taplo (?:fmt|format)|deno fmt|ruff format|black|isort|cargo fmt|rustfmt)\b/, /$/, " --check"],
  [/^biome (?:check|lint|format)\b/, / --(?:write|apply|fix)\b/, ""],
  [/^rubocop\b/, / (?:-a|-A|--auto-?correct(?:-all)?)(?= |$)/, ""],
  [/^ktlint\b/, / (?:-F|--format)\b/, ""],
  [/^dprint fmt\b/, / fmt\b/, " check"],
  [/^mix format\b/, /$/, " --check-formatted"],
  [/^terraform fmt\b/, /$/, " -check"],
  [/^clang-format\b/, / -i\b/, " --dry-run --Werror"],
  [/^shfmt\b/, / (?:-w|--write)\b/, " -d"],
  [/^dart format\b/, /$/, " --output=none --set-exit-if-changed"],
  [/^php-cs-fixer fix\b/, /$/, " --dry-run"],
  [/^\S/, / --fix(?= |$)/, ""],
];

const JUDGES =
  / (?:--check|--check-formatted|--dry-run|--list-different|-check|--diff|-d|--set-exit-if-changed)\b/;

const GO_FORMATTER = /^(?:gofmt|goimports) -w\b/;

export function judging(command: string): Judging {
  const runner = RUNNER.exec(command)?.[0] ?? "";
  const bare = command.slice(runner.length);
  const go = GO_FORMATTER.exec(bare);
  if (go !== null) {
    const list = bare.replace(" -w", " -l");
    return { command: `test -z "$(${runner}${list})"`, fix: command };
  }
  const [tool = "", files = ""] = bare.split(/ (?=\{files\})/);
  const fixer = FIXERS.find(([program, from]) => program.test(bare) && from.test(tool));
  if (fixer === undefined || JUDGES.test(bare)) return { command };
  const [, from, to] = fixer;
  const judged = tool.replace(from, to);
  return { command: `${runner}${judged}${files === "" ? "" : ` ${files}`}`, fix: command };
}

const PURPOSES: readonly (readonly [name: string, tools: RegExp])[] = [
  [
    "format",
    /^(?:prettier|oxfmt|black|ruff format|gofmt|rustfmt|cargo fmt|deno fmt|dprint|mix format|biome format)\b/,
  ],
  [
    "lint",
    /^(?:eslint|oxlint|biome (?:lint|check)|ruff check|flake8|golangci-lint|rubocop|cargo clippy|deno lint)\b/,
  ],
  ["typecheck", /^(?:tsc|mypy|pyright|vue-tsc|svelte-check)\b/],
  ["test", /^(?:vitest|jest|mocha|pytest|cargo test|go test|rspec|mix test|deno test)\b/],
];

/** The usual name of what a command is for, or the script it runs: `lint`, `typecheck`. Undefined where nothing says. */
export function purposeOf(command: string): string | undefined {
  const script = /^(?:npm|pnpm|yarn|bun)(?: run)? ([\w:-]+)(?= |$)/.exec(command)?.[1];
  const bare = command.replace(RUNNER, "");
  return PURPOSES.find(([, tools]) => tools.test(bare))?.[0] ?? script;
}
