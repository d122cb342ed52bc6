import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Finished } from "../rig/gauntlet-project.ts";
import { Masks } from "./masks.ts";
import { indent, renderJson } from "./render-json.ts";

/** What was done, and all that the program answered and wrote down, as text that is the same in every run. */
export class Transcript {
  readonly masks = new Masks();
  readonly #projects: string;
  readonly #lines: string[] = [];
  readonly #knownVerdicts = new Map<string, number>();

  constructor(home: string) {
    this.#projects = join(home, ".local/state/agent-gauntlet/projects");
  }

  get text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  say(text: string): void {
    this.#lines.push(`${this.#lines.length === 0 ? "" : "\n"}-- ${this.masks.text(text)}`);
  }

  /** What a process answered, and what it added to the ledgers. */
  record(title: string, done: Finished): void {
    this.say(title);
    this.#lines.push(done.signal === null ? `exit ${done.exitCode}` : `killed by ${done.signal}`);
    const json = linesOfJson(done.stdout);
    if (json?.length === 1) this.#section("stdout, one line of JSON", this.#json(json[0]));
    else if (json !== undefined) this.#section(`stdout, ${json.length} lines of JSON`, this.#json(json));
    else if (done.stdout !== "") this.#section("stdout", this.#text(done.stdout));
    if (done.stderr !== "") this.#section("stderr", this.#text(done.stderr));
    const verdicts = this.#newVerdicts();
    if (verdicts.length > 0) this.#section("ledger", this.#json(verdicts));
  }

  content(title: string, text: string): void {
    this.say(title);
    this.#lines.push(...indent(text.startsWith("{") ? this.#json(JSON.parse(text)) : this.#text(text)));
  }

  #section(title: string, lines: readonly string[]): void {
    this.#lines.push(`${title}:`, ...indent(lines));
  }

  #json(value: unknown): readonly string[] {
    return renderJson(this.masks.json(value));
  }

  #text(text: string): readonly string[] {
    const lines = this.masks.text(text).split("\n");
    return lines.at(-1) === "" ? lines.slice(0, -1) : [...lines, "(no line break at the end)"];
  }

  #newVerdicts(): readonly Verdict[] {
    if (!existsSync(this.#projects)) return [];
    const ledgers = readdirSync(this.#projects).map((key) => join(this.#projects, key, "ledger.jsonl"));
    return ledgers.filter((file) => existsSync(file)).flatMap((file) => this.#newVerdictsOf(file));
  }

  #newVerdictsOf(file: string): readonly Verdict[] {
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const added = lines.slice(this.#knownVerdicts.get(file) ?? 0);
    this.#knownVerdicts.set(file, lines.length);
    const verdicts = added.map((line) => JSON.parse(line) as Verdict);
    for (const { door, session } of verdicts) if (door === "sdk") this.masks.add(session, "made-up session");
    return verdicts;
  }
}

/** As much of a line of the ledger as is looked at here. */
interface Verdict {
  readonly door: string;
  readonly session: string;
}

function linesOfJson(text: string): readonly unknown[] | undefined {
  if (!/^(?:\{.*\}\n)+$/.test(text)) return undefined;
  try {
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  } catch {
    return undefined;
  }
}
