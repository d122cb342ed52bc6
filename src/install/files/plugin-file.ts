import { fail, ok, type Result } from "../../core/trouble.ts";
import type { Host, PluginFile } from "../../hosts/host.ts";
import type { FileFormat } from "./file-format.ts";
import type { FileChange } from "../hook-registration.ts";
import { HOOK_TIMEOUT_MS } from "../host-registration.ts";
import { OPENCODE_PLUGIN } from "../plugins/opencode.ts";
import { PI_EXTENSION } from "../plugins/pi.ts";

interface WantedPlugin {
  readonly host: Host;
  readonly registration: PluginFile;
  readonly command: string;
  /** As shown to people. */
  readonly file: string;
}

/** Raise it when the text of a plugin changes: `doctor` then asks for a new `install`. */
const PLUGIN_VERSION = 2;

/** A file that is ours from the first line to the last. One that is not is never touched. */
export function pluginFormat(wanted: WantedPlugin): FileFormat {
  return {
    install: (text) => install(text, wanted),
    uninstall: (text) => ok({ kind: text !== undefined && isOurs(text) ? "removed" : "unchanged" }),
    find: (text) => {
      const command = commandIn(text);
      const entry = { event: wanted.registration.events.stop, timeout: HOOK_TIMEOUT_MS / 1000 };
      return command === undefined
        ? []
        : [{ ...entry, command, isOutdated: text !== pluginText({ ...wanted, command }) }];
    },
    isSkipped: () => false,
  };
}

function install(text: string | undefined, wanted: WantedPlugin): Result<FileChange> {
  const plugin = pluginText(wanted);
  if (text === plugin) return ok({ kind: "unchanged" });
  if (text === undefined || isOurs(text)) return ok({ kind: "written", text: plugin });
  return fail({
    kind: "host-settings-invalid",
    diagnostic: { severity: "error", file: wanted.file, message: "was not written by agent-gauntlet" },
    snippet: plugin,
  });
}

const MARK = "// agent-gauntlet plugin, version";

const TEXTS: Readonly<Record<PluginFile["plugin"], string>> = {
  opencode: OPENCODE_PLUGIN,
  pi: PI_EXTENSION,
};

function pluginText({ host, registration, command }: WantedPlugin): string {
  return [
    `${MARK} ${PLUGIN_VERSION}: asks the project's gates whether the agent may stop.`,
    `// Written by "agent-gauntlet install --host ${host.name}", which replaces it; "agent-gauntlet uninstall" removes it.`,
    'import { spawn } from "node:child_process";',
    "",
    `const HOST = ${JSON.stringify(host.name)};`,
    `const COMMAND = ${JSON.stringify(command)};`,
    `const TIMEOUT_MS = ${HOOK_TIMEOUT_MS};`,
    TEXTS[registration.plugin],
    ASK_HOOK,
  ].join("\n");
}

function isOurs(text: string): boolean {
  return text.startsWith(MARK);
}

/** Undefined in a file that is not ours. */
function commandIn(text: string): string | undefined {
  const quoted = isOurs(text) ? /^const COMMAND = (".*");\r?$/m.exec(text)?.[1] : undefined;
  if (quoted === undefined) return undefined;
  try {
    return String(JSON.parse(quoted));
  } catch {
    return "";
  }
}

/** The end of every plugin: runs the hook's command with a payload on stdin and resolves to its answer. Never rejects. */
const ASK_HOOK = `
function ask(payload, signal, command = COMMAND) {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: payload.cwd, shell: true, detached: process.platform !== "win32" });
    const end = () => {
      try {
        process.platform === "win32" ? child.kill() : process.kill(-child.pid, "SIGTERM");
      } catch {
        // it has ended by itself
      }
    };
    const timer = setTimeout(end, TIMEOUT_MS);
    signal?.addEventListener("abort", end);
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.on("error", (error) => (stderr += error.message));
    child.on("close", () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve(signal?.aborted ? {} : (parse(stdout) ?? noAnswer(stderr)));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(payload) + "\\n");
  });
}

// Remembers where a session begins, before its agent does anything.
async function begin(id, cwd) {
  if (!id || begun.has(id)) return;
  begun.add(id);
  await ask({ client: HOST, hook_event_name: "SessionStart", session_id: id, cwd }, undefined, START);
}

const START = COMMAND.replace(" stop-hook", " session-start");
const begun = new Set();

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noAnswer(stderr) {
  const why = stderr.trim().split("\\n").at(-1);
  return { systemMessage: "agent-gauntlet: the stop was not checked, its hook gave no answer: " + why };
}
`;
