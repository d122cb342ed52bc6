/** Raised when a field changes its meaning or goes; new fields do not raise it. */
const FORMAT = 1;

/** Like every JSON we print: one object on one line, where a field without a value is null. `json-schema.ts` describes them all. */
export function line(command: string, content: object): string {
  return JSON.stringify({ format: FORMAT, command, ...content });
}
