import { listSessionRecords } from "../../machine/state/sessions.ts";
import { explainJson } from "../../report/host-json.ts";
import { explainStop } from "../../report/explain-stop.ts";
import { errorJson } from "../../report/json.ts";
import { EXIT } from "../exit-code.ts";
import { isHere } from "../is-here.ts";
import { printLine, type Terminal } from "../terminal.ts";

export interface ExplainOptions {
  /** 1 is the last stop, 2 the one before it. */
  readonly last?: string | true;
  readonly json?: boolean;
  /** Wherever the stop was, not only in this project. */
  readonly anywhere?: boolean;
}

/** Tells why the last stop of a session here was blocked, allowed or deferred. */
export async function explainCommand(
  terminal: Terminal,
  { json, anywhere, last = true }: ExplainOptions,
): Promise<number> {
  const records = listSessionRecords(terminal.env)
    .flatMap(({ lastStop }) => lastStop ?? [])
    .filter((one) => anywhere || isHere(one, terminal.cwd));
  const record = records[last === true ? 0 : Number(last) - 1];
  if (record === undefined) {
    const message = `No stop ${anywhere ? "" : "in this project "}has been recorded. \`agent-gauntlet doctor\` tells whether the hook is registered.`;
    if (json) printLine(terminal.stdout, errorJson("explain", "error", message));
    printLine(terminal.stderr, message);
    return EXIT.notOk;
  }
  if (json) printLine(terminal.stdout, explainJson(record));
  else terminal.stdout.write(explainStop(record));
  return EXIT.ok;
}
