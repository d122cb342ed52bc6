import type { Verdict } from "../../core/verdict.ts";
import { handleBreplStop } from "../../engine/handle-brepl-stop.ts";
import { renderBrepl } from "../../hosts/brepl.ts";
import { claudeCode } from "../../hosts/claude-code.ts";
import { currentDirectory } from "../../machine/environment.ts";
import { writeAll } from "../../machine/write-all.ts";
import { trace } from "../../machine/trace.ts";
import type { BreplOptions } from "../brepl-commands.ts";
import { cancellation } from "../cancellation.ts";
import { readEvent } from "../read-event.ts";

/** `brepl hook stop`: may the agent stop? */
export async function breplStop(options: BreplOptions): Promise<number> {
  trace("Node started, our first file read");
  const { stdout, stderr, exitCode } = renderBrepl(await decide(options));
  writeAll(2, stderr);
  writeAll(1, stdout);
  trace("answered");
  return exitCode;
}

async function decide({ replServer }: BreplOptions): Promise<Verdict> {
  const { env } = process;
  if (env["GAUNTLET_STOP_HOOK_ACTIVE"] || env["GAUNTLET_STOP_HOOK_ACTIVE_ENV"]) {
    return { decision: "allow", status: "stop_hook_active", message: "already inside a stop hook" };
  }
  using cancelled = cancellation();
  const { signal } = cancelled; // each hook has its own time limit, and all of them the host's
  const read = await readEvent(signal);
  trace("stdin read");
  if (!read.ok) return invalidInput(`Error parsing Stop event JSON: ${read.problem}`);
  const cwd = currentDirectory();
  const parsed = claudeCode.parse(read.payload, { env, cwd });
  if (parsed.kind === "other-event")
    return invalidInput(`${parsed.name} is not a Stop event: no hook was run`);
  return await handleBreplStop({ event: parsed.event, cwd, env, replServer }, signal);
}

function invalidInput(notice: string): Verdict {
  return { decision: "allow", status: "invalid_input", message: "no valid Stop event", notice };
}
