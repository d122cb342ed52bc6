import { describe, expect, test } from "vitest";

import { planZedInstall, planZedUninstall, zedAgents } from "../../../src/install/files/zed-settings.ts";

const OWN = ["agent-gauntlet", "acp", "--only-allowed", "--"] as const;
const GEMINI = { name: "Gemini CLI", command: ["gemini", "--acp"] } as const;
const file = "settings.json";

/** What an installation makes of settings. */
function installed(text: string | undefined, found: readonly (typeof GEMINI)[] = []): string {
  const planned = planZedInstall(text, { own: OWN, found, file });
  if (!planned.ok) throw new Error("not planned");
  return planned.value.kind === "written" ? planned.value.text : (text ?? "");
}

function uninstalled(text: string): string {
  const planned = planZedUninstall(text, file);
  if (!planned.ok) throw new Error("not planned");
  return planned.value.kind === "written" ? planned.value.text : text;
}

const SETTINGS = [
  '{"agent_servers":{"A":{"command":"gemini","args":["--acp"]}}}',
  '{"agent_servers":{"A":{"args":["--acp"],"command":"gemini"}}}',
  '{"agent_servers":{"A":{"command":"gemini"}}}',
  '{"agent_servers":{"A":{"command":"gemini","args":[]}}}',
  '{"agent_servers":{"A":{"command":"gemini","args":[ "--acp" ]}}}',
  `\uFEFF{
  // mine
  "theme": "One Dark", /* and this */
  "agent_servers": {
    "Claude": { "type": "registry" },
    "Gemini \\"CLI\\"": {
      "type": "custom",
      "command": "C:\\\\bin\\\\gemini",
      "args": [
        "--acp", // yes
        "--model=x",
      ],
      "env": { "A": "b" },
    },
    "Two": { "type": "custom", "command": "opencode", "args": [/* none */ "acp"], },
  },
}
`,
  '{\r\n\t"agent_servers": {\r\n\t\t"A": {\r\n\t\t\t"command": "kimi",\r\n\t\t\t"args": [\r\n\t\t\t\t"acp"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}',
];

describe.each(SETTINGS)("settings %#", (text) => {
  test("start every agent through us, and are as they were when that is taken out", () => {
    const gated = installed(text);

    expect(zedAgents(gated).every(({ isGated }) => isGated)).toBe(true);
    expect(zedAgents(gated)).toHaveLength(zedAgents(text).length);
    expect(installed(gated)).toBe(gated);
    expect(uninstalled(gated)).toBe(text);
    expect(uninstalled(text)).toBe(text);
  });
});

test("the agent's own command follows ours", () => {
  const gated = installed('{"agent_servers":{"A":{"command":"gemini","args":["--acp"]}}}');

  expect(JSON.parse(gated)).toEqual({
    agent_servers: {
      A: { command: "agent-gauntlet", args: ["acp", "--only-allowed", "--", "gemini", "--acp"] },
    },
  });
});

test.each([undefined, "{}", '{\n  "theme": "x"\n}\n', '{\n  "agent_servers": {}\n}\n'])(
  "the agents of this machine are added where %j names none, and taken out again",
  (text) => {
    const gated = installed(text, [GEMINI]);

    expect(zedAgents(gated)).toEqual([{ name: "Gemini CLI (agent-gauntlet)", isGated: true }]);
    expect(zedAgents(uninstalled(gated))).toEqual([]);
    if (text !== undefined) expect(uninstalled(gated)).toBe(text);
  },
);

test.each(["{ not JSON", '{"agent_servers": []}', '{"agent_servers": {}, "agent_servers": {}}', "[]"])(
  "%j is left as it is",
  (text) => {
    expect(planZedInstall(text, { own: OWN, found: [GEMINI], file })).toMatchObject({
      ok: false,
      trouble: { kind: "host-settings-invalid", diagnostic: { file } },
    });
  },
);
