import {
  noticedAnswer,
  takeDecision,
  textOf,
  stopParser,
  snakeCaseSample,
  snakeCaseStop,
} from "./protocol.ts";
import type { Host, PluginFile } from "./host.ts";

const stopEvents = ["Stop"];

/** Measured with 1.18.33 (2026-11-15). It has no stop hook; our plugin prompts again when a session is idle. */
export const opencode = pluginHost("opencode", "OpenCode", {
  plugin: "opencode",
  projectFile: ".opencode/plugins/agent-gauntlet.js",
  userFile: {
    variable: "OPENCODE_CONFIG_DIR",
    folder: ".config/opencode",
    file: "plugins/agent-gauntlet.js",
  },
  executables: ["opencode"],
  homeFolder: ".config/opencode",
});

/** A fork of OpenCode, measured with 7.7.9 (2026-11-15): the same plugin works in `kilo serve`. */
export const kilo = pluginHost("kilo", "Kilo", {
  plugin: "opencode",
  projectFile: ".kilo/plugins/agent-gauntlet.js",
  userFile: { folder: ".config/kilo", file: "plugins/agent-gauntlet.js" },
  executables: ["kilo"],
  homeFolder: ".config/kilo",
  afterwards:
    "`kilo run` ends before the gates have answered: only sessions of `kilo` and `kilo serve` are gated.",
});

/** Measured with 0.87.1 (2026-11-15; the event also with 1.5.0). Extensions are asked before the agent settles. */
export const pi = pluginHost("pi", "Pi", {
  plugin: "pi",
  projectFile: ".pi/extensions/agent-gauntlet.ts",
  userFile: { variable: "PI_CODING_AGENT_DIR", folder: ".pi/agent", file: "extensions/agent-gauntlet.ts" },
  executables: ["pi"],
  homeFolder: ".pi",
  afterwards:
    "Pi skips a project's extensions until you trust the folder: start `pi` here and say yes (`pi -p` needs --approve).",
});

type Place = Omit<PluginFile, "format" | "events">;

/** The question is our plugin's, and the answer goes back to it. */
function pluginHost(name: string, title: string, place: Place): Host {
  return {
    name,
    title,
    stopEvents,
    timeoutUnit: "s",
    defaultTimeoutMs: 300_000,
    allowsUnknownKeys: true,
    registration: { format: "plugin", events: { stop: "Stop" }, ...place },
    parse: stopParser(stopEvents, (payload, surroundings) => ({
      ...snakeCaseStop(name, payload, surroundings),
      promptId: textOf(payload, "prompt_id"),
    })),
    render: noticedAnswer,
    sample: (stop) => {
      const { transcript_path, ...sample } = snakeCaseSample("Stop", stop);
      return {
        client: name,
        ...sample,
        prompt_id: stop.promptId,
        last_assistant_message: stop.lastMessage,
        transcript_path: name === "pi" ? transcript_path : undefined,
      };
    },
    take: (answer) => takeDecision(answer, { exitCode2Blocks: false }),
  };
}
