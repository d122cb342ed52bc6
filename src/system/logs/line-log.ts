import { closeSync, constants, fstatSync, openSync, writeSync, renameSync, lstatSync } from "node:fs";
import { join } from "node:path";
import type { DebugLogSettings } from "../../config/settings.ts";
import { now } from "../clock.ts";
import { APPEND } from "../files/append.ts";

/** A log of whole lines. A full disk must not break the run, so what cannot be written is left out. */
export class LineLog implements Disposable {
  readonly #path: string;
  #fd: number | undefined;
  #isOurs: boolean | undefined;
  readonly #waiting: string[] = [];
  #turn: NodeJS.Immediate | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Written together when the loop turns: many gates that start together are one write. */
  writeSoon(...lines: readonly string[]): void {
    this.#waiting.push(...lines);
    this.#turn ??= setImmediate(() => this.write());
  }

  write(...lines: readonly string[]): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    this.#append([...this.#waiting.splice(0), ...lines]);
  }

  #append(lines: readonly string[]): void {
    if (lines.length === 0) return;
    try {
      this.#fd ??= openSync(this.#path, APPEND | constants.O_CREAT, 0o600);
      this.#isOurs ??= isOurs(this.#fd);
      if (!this.#isOurs) return;
      writeSync(this.#fd, lines.map((line) => `${line}\n`).join(""));
    } catch {
      // the run's own answer says what matters
    }
  }

  [Symbol.dispose](): void {
    this.write();
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** A device or a hard link is not a log of ours. */
function isOurs(fd: number): boolean {
  const facts = fstatSync(fd);
  return facts.isFile() && facts.nlink === 1;
}

export function openDebugLog(logDir: string, settings: DebugLogSettings): (line: string | undefined) => void {
  if (!settings.enabled) return () => {};
  const path = join(logDir, ".debug.log");
  return (line) => {
    if (line === undefined) return;
    makeRoom(path, settings.maxBytes - line.length);
    using log = new LineLog(path); // opened anew each time: it may just have been moved
    log.write(`[${new Date(now()).toISOString()}] ${line}`);
  };
}

function makeRoom(path: string, maxBytes: number): void {
  try {
    if (lstatSync(path).size > maxBytes) renameSync(path, `${path}.1`);
  } catch {
    // missing or not accessible: nothing is lost by going on
  }
}
