import { ok, type Result } from "../trouble.ts";
import type { LogDir } from "../system/logs/log-dir.ts";
import type { Environment } from "../system/process/environment.ts";
import type { SessionName } from "../system/state/state-keys.ts";
import { idOf, readFallback, readSession, updateFallback, updateSession } from "./session-store.ts";
import { NEW_SESSION, type Session, type SessionChange } from "./session.ts";

/** A session as one stop, or one run, finds it, with the changes that it makes. */
export class OpenSession {
  /** As it was stored, with the changes made since. */
  value: Session;
  /** Whether anything was stored of it. */
  readonly isKnown: boolean;
  /** Why what was stored cannot be read. */
  readonly damage: string | undefined;
  readonly #name: SessionName;
  readonly #env: Environment;
  #unsaved: SessionChange[] = [];
  #fallback: LogDir | undefined;
  #isRehearsal = false;

  private constructor(name: SessionName, env: Environment) {
    this.#name = name;
    this.#env = env;
    const { value, warning } = readSession(name, env);
    this.isKnown = value !== undefined;
    this.damage = warning;
    this.value = value ?? NEW_SESSION;
  }

  static open(name: SessionName, env: Environment): OpenSession {
    return new OpenSession(name, env);
  }

  /** Nothing of it is ever stored. */
  static rehearse(name: SessionName, env: Environment): OpenSession {
    const session = new OpenSession(name, env);
    session.#isRehearsal = true;
    return session;
  }

  /** What its file is named by. */
  get id(): string {
    return idOf(this.#name);
  }

  change(change: SessionChange): void {
    this.value = change(this.value);
    this.#unsaved.push(change);
  }

  /** From now on it is kept in the log directory if nothing can be written in the state directory. */
  fallBackTo(logDir: LogDir): "found" | "nothing" {
    this.#fallback = logDir;
    const fallback = readFallback(this.#name, this.#env, logDir);
    if (fallback === undefined) return "nothing";
    this.value = this.#changed(fallback);
    return "found";
  }

  /** Another run of the same session may have just ended. */
  reload(): void {
    const stored =
      (this.#fallback && readFallback(this.#name, this.#env, this.#fallback)) ??
      readSession(this.#name, this.#env).value;
    if (stored !== undefined) this.value = this.#changed(stored);
  }

  /** Applies the changes to what is stored by now. Where nothing can be stored, they stay unsaved. */
  save(): Result<"saved" | "saved-with-the-logs"> {
    if (this.#isRehearsal) return ok("saved");
    const change: SessionChange = (stored) => this.#changed(stored);
    const saved = updateSession(this.#name, this.#env, change);
    if (saved.ok) return this.#saved(saved.value, "saved");
    const beside = this.#fallback && updateFallback(this.#name, this.#fallback, change);
    return beside?.ok ? this.#saved(beside.value, "saved-with-the-logs") : saved;
  }

  #changed(stored: Session): Session {
    return this.#unsaved.reduce((session, change) => change(session), stored);
  }

  #saved<T>(session: Session, how: T): Result<T> {
    this.value = session;
    this.#unsaved = [];
    return ok(how);
  }
}
