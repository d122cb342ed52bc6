import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findHost } from "../../hosts/host-table.ts";
import type { Payload } from "../../hosts/host.ts";
import { readIfFile } from "../../system/files/files.ts";
import { shellCommand } from "../../system/process/executables.ts";
import { runProcess } from "../../system/process/run-process.ts";
import type { FoundHook } from "./found-hook.ts";
import type { Isolation } from "./isolation.ts";
import { type Answer, judgeAnswer, type Said } from "./judge-answer.ts";
import type { Copy, Playground } from "./playground.ts";

export interface StopToPlay {
  readonly hook: FoundHook;
  readonly copy: Copy;
  readonly path: string;
  readonly sessionId: string;
  /** Blocks before this stop. */
  readonly blockedBefore: number;
  readonly cwd: string;
  /** Without the field that says it, to find out who only looks for its name. */
  readonly withoutFlag?: boolean;
}

export interface PlayedStop extends Answer {
  readonly said: Said;
  /** The last lines of the project's scripts that a shell read, oldest first. */
  readonly lines: readonly ScriptLine[];
}

export interface ScriptLine {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

const LONGEST_MS = 60_000;
const MOST_OUTPUT = 8_000_000;

/** Asks a hook as its host does, in a copy of the project. */
export async function playStop(
  playground: Playground,
  isolation: Isolation,
  stop: StopToPlay,
  signal: AbortSignal,
): Promise<PlayedStop> {
  const { hook, copy, cwd } = stop;
  const [event] = hook.events;
  const trace = join(dirname(copy.root), "trace");
  const output = { stdout: "", stderr: "" };
  const [program, ...args] = [...isolation.before, ...argvOf(hook, playground, copy)];
  if (program === undefined) throw new Error("a hook without a command is not played");
  const end = await runProcess(
    {
      argv: [program, ...args],
      cwd,
      env: { ...environment(playground, stop), ...traceTo(trace) },
      stdin: `${JSON.stringify(payload(stop))}\n`,
      timeoutMs: Math.min(hook.timeoutMs ?? LONGEST_MS, LONGEST_MS),
      onOutput: (chunk, stream) => {
        if (output[stream].length < MOST_OUTPUT) output[stream] += chunk.toString();
      },
    },
    signal,
  );
  const said: Said = {
    end: end.kind === "exited" || end.kind === "timed-out" ? end.kind : "killed",
    exitCode: end.kind === "exited" ? end.exitCode : 1,
    ...output,
  };
  const lines = linesOf(readIfFile(trace) ?? "", hook, copy);
  writeFileSync(trace, "");
  return { ...judgeAnswer(said, event), said, lines };
}

function argvOf({ command, args }: FoundHook, { root }: Playground, copy: Copy): readonly string[] {
  const moved = (text: string): string => text.replaceAll(root, copy.root);
  if (args === undefined) return shellCommand(moved(command));
  const expanded = (text: string): string => moved(text).replaceAll(`\${CLAUDE_PROJECT_DIR}`, copy.root);
  return [expanded(command), ...args.map(expanded)];
}

function environment({ env, root, directory }: Playground, { hook, copy, path, sessionId }: StopToPlay) {
  const { pluginRoot } = hook;
  const here = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value?.replaceAll(join(directory, "tree"), copy.root)]),
  );
  return {
    ...here,
    PATH: path,
    HOME: copy.home,
    PWD: copy.root,
    TMPDIR: join(dirname(copy.root), "tmp"),
    CLAUDE_PROJECT_DIR: copy.root,
    CLAUDECODE: "1",
    CLAUDE_CODE_SESSION_ID: sessionId,
    CLAUDE_CODE_ENTRYPOINT: "cli",
    ...(pluginRoot === undefined ? {} : { CLAUDE_PLUGIN_ROOT: join(copy.root, pluginRoot) }),
    GIT_CEILING_DIRECTORIES: dirname(root),
  };
}

function payload({ hook, copy, cwd, sessionId, blockedBefore, withoutFlag }: StopToPlay): object {
  const [event] = hook.events;
  const sample: Payload | undefined = findHost(hook.host)?.sample({
    cwd,
    sessionId,
    promptId: `${sessionId}-prompt`,
    blockedBefore,
    lastMessage: "All done.",
  });
  const { stop_hook_active: flag, ...rest }: Payload = {
    ...sample,
    transcript_path: transcript(copy, sessionId),
  };
  const ofEvent = EVENT_FIELDS[event] ?? {};
  const isFlagless = withoutFlag === true || event === "TaskCompleted" || flag === undefined;
  return { ...rest, ...(isFlagless ? {} : { stop_hook_active: flag }), hook_event_name: event, ...ofEvent };
}

const EVENT_FIELDS: Readonly<Record<string, object>> = {
  SubagentStop: { agent_id: "agent-1", agent_type: "general-purpose" },
  TaskCompleted: { task_id: "1", task_subject: "Change the code" },
};

/** Hooks look for edits in it. */
function transcript({ home, changed }: Copy, sessionId: string): string {
  const path = join(home, ".claude", "projects", "project", `${sessionId}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  const message = (role: string, content: unknown): string =>
    JSON.stringify({ type: role, sessionId, message: { role, content } });
  const edits = changed.flatMap((file, number) => {
    const id = `toolu_${number}`;
    const input = { file_path: file, old_string: "a", new_string: "b" };
    return [
      message("assistant", [{ type: "tool_use", id, name: "Edit", input }]),
      message("user", [{ type: "tool_result", tool_use_id: id, content: "The file has been updated." }]),
    ];
  });
  const lines = [
    message("user", "Change the code."),
    ...edits,
    message("assistant", [{ type: "text", text: "All done." }]),
  ];
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  return path;
}

/** Only bash tells where it is, and only since 4.1 into a file. */
function traceTo(trace: string): Readonly<Record<string, string>> {
  const start = join(dirname(trace), "trace.bash");
  writeFileSync(
    start,
    `if [ "\${BASH_VERSINFO[0]}" -gt 4 ] || [ "\${BASH_VERSINFO[0]}.\${BASH_VERSINFO[1]}" != 4.0 -a "\${BASH_VERSINFO[0]}" = 4 ]; then
  exec {BASH_XTRACEFD}>>'${trace}'
  PS4='+|\${BASH_SOURCE[0]}|\${LINENO}| '
  set -x
fi
`,
  );
  return { BASH_ENV: start };
}

const KEPT_LINES = 40;

function linesOf(trace: string, { scripts }: FoundHook, { root }: Copy): readonly ScriptLine[] {
  const lines: ScriptLine[] = [];
  for (const entry of trace.split("\n")) {
    const [, source, number] = /^\++\|([^|]+)\|(\d+)\| /.exec(entry) ?? [];
    const script = scripts.find(
      ({ path }) => source !== undefined && (source === path || source.endsWith(`/${path}`)),
    );
    if (script === undefined || number === undefined || source?.startsWith(`${root}/node_modules`)) continue;
    const line = Number(number);
    const last = lines.at(-1);
    if (last?.line === line && last.file === script.path) continue;
    const text = script.text.split("\n")[line - 1]?.trim() ?? "";
    if (!text.startsWith("#")) lines.push({ file: script.path, line, text }); // a trap has the number of the first line
  }
  return lines.slice(-KEPT_LINES);
}
