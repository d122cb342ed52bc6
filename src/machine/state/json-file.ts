import { parseJson } from "../../core/json.ts";
import * as v from "valibot";
import type { Result } from "../../core/trouble.ts";
import { now } from "../clock.ts";
import { readText, writeFileAtomic } from "../files/files.ts";

/** What a file holds; whatever cannot be trusted counts as absent, with a warning. */
export interface Stored<T> {
  readonly value: T;
  readonly warning?: string;
}

/** One kind of state file: small JSON with a version, replaced as a whole, readable by its owner alone. */
export interface JsonFile<T> {
  readonly read: (path: string) => Stored<T | undefined>;
  readonly write: (path: string, value: T) => Result<void>;
}

const DAMAGED = "it is damaged or of another version";
const MAX_BYTES = 16 * 1024 * 1024;
/** Clocks of machines that share a directory differ a little. */
const CLOCK_SLACK_MS = 60_000;

/** A schema of any library (standardschema.dev); what every stop reads is checked with valibot, the smallest to load. */
interface Schema<T> {
  readonly "~standard": { readonly validate: (value: unknown) => Validated<T> | Promise<Validated<T>> };
}

type Validated<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: object };

const envelope = v.object({ version: v.number(), writtenAt: v.number(), state: v.unknown() });

/** `version` is raised whenever the shape changes; a file of any other version counts as absent. */
export function jsonFile<T>(version: number, schema: Schema<T>): JsonFile<T> {
  return {
    read: (path) => {
      const text = readText(path, MAX_BYTES);
      if (!text.ok && text.trouble.kind === "file-missing") return { value: undefined };
      const ignored = (why: string) => ({
        value: undefined,
        warning: `Ignored the state in ${path}: ${why}.`,
      });
      if (!text.ok && text.trouble.kind === "file-failed") return ignored(text.trouble.detail);
      const read = v.safeParse(envelope, text.ok ? parseJson(text.value) : undefined);
      if (!read.success) return ignored(DAMAGED);
      const { version: found, writtenAt, state } = read.output;
      if (found > version) return ignored("a newer version wrote it");
      const checked = found === version ? schema["~standard"].validate(state) : undefined;
      if (checked === undefined || checked instanceof Promise || checked.issues) return ignored(DAMAGED);
      if (writtenAt > now() + CLOCK_SLACK_MS) return ignored("it is dated in the future");
      return { value: checked.value };
    },
    write: (path, state) =>
      writeFileAtomic(path, `${JSON.stringify({ version, writtenAt: now(), state })}\n`, { mode: 0o600 }),
  };
}
