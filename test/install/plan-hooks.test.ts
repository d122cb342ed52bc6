import * as fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { explain } from "../../src/trouble.ts";
import { breplHooks } from "../../src/brepl/hook-settings.ts";
import { CLAUDE_CODE_HOOKS, claudeCode } from "../../src/hosts/claude-code.ts";
import { hostHooks, jsonHooks, type HookRegistration } from "../../src/install/hook-registration.ts";
import { planInstall, planUninstall } from "../../src/install/plan-hooks.ts";
import { runs } from "../rig/property-runs.ts";

const stopHook = jsonHooks(
  claudeCode,
  CLAUDE_CODE_HOOKS,
  { command: "agent-gauntlet stop-hook", hooks: ["stop"] },
  ".claude/settings.local.json",
);

/** Two events, as another front door registers them. */
const twoEvents: HookRegistration = {
  ...stopHook,
  hooks: ["Stop", "SessionEnd"].map((event) => {
    const command = `other hook ${event}`;
    return { event, command, fields: { type: "command", command } };
  }),
  isOurs: (command) => command.startsWith("other hook"),
};

describe("installing", () => {
  test("without a file writes exactly what the design shows", () => {
    expect(install(undefined)).toBe(`{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "agent-gauntlet stop-hook",
            "timeout": 300
          }
        ]
      }
    ]
  }
}
`);
  });

  test("adds to a file that has no hooks, in the file's own layout", () => {
    const before = '{\n\t// mine\n\t"model": "opus", // fast\n\t"env": { "A": "1" }\n}';

    expect(install(before)).toBe(`{
\t// mine
\t"model": "opus", // fast
\t"env": { "A": "1" },
\t"hooks": {
\t\t"Stop": [
\t\t\t{
\t\t\t\t"hooks": [
\t\t\t\t\t{
\t\t\t\t\t\t"type": "command",
\t\t\t\t\t\t"command": "agent-gauntlet stop-hook",
\t\t\t\t\t\t"timeout": 300
\t\t\t\t\t}
\t\t\t\t]
\t\t\t}
\t\t]
\t}
}`);
  });

  test("adds an entry beside the stop hooks of others", () => {
    const before = `{
  "hooks": {
    "PostToolUse": [],
    "Stop": [
      { "matcher": "", "hooks": [{ "type": "command", "command": "say done" }] } // mine
    ]
  }
}
`;

    expect(install(before)).toBe(`{
  "hooks": {
    "PostToolUse": [],
    "Stop": [
      { "matcher": "", "hooks": [{ "type": "command", "command": "say done" }] }, // mine
      {
        "hooks": [
          {
            "type": "command",
            "command": "agent-gauntlet stop-hook",
            "timeout": 300
          }
        ]
      }
    ]
  }
}
`);
  });

  test("keeps Windows line ends and a byte order mark", () => {
    const installed = install('\uFEFF{\r\n    "model": "opus"\r\n}\r\n');

    expect(installed).toMatch(/^\uFEFF\{\r\n {4}"model": "opus",\r\n {4}"hooks": \{\r\n {8}"Stop"/);
    expect(installed.replaceAll("\r\n", "")).not.toContain("\n");
  });

  test("keeps a trailing comma where the file has one", () => {
    const installed = install('{\n  "model": "opus", // note\n}\n');

    expect(installed).toContain('"model": "opus", // note\n  "hooks": {');
    expect(installed).toMatch(/ {2}\},\n\}\n$/);
  });

  test("again changes nothing", () => {
    expect(planInstall(install('{ "a": 1 }'), stopHook)).toEqual({ ok: true, value: { kind: "unchanged" } });
  });

  test("changes nothing where the user gave our hook another timeout or more arguments", () => {
    const own = install(undefined).replace("300", "900").replace("stop-hook", "stop-hook --verbose");

    expect(planInstall(own, stopHook)).toEqual({ ok: true, value: { kind: "unchanged" } });
  });

  test("corrects the command of a hook that calls another installation, and nothing else", () => {
    const stale = install(undefined).replace(
      "agent-gauntlet stop-hook",
      "node '/old place/agent-gauntlet.cjs' stop-hook",
    );

    expect(install(stale.replace("300", "900"))).toBe(install(undefined).replace("300", "900"));
  });

  test("leaves one of ours when it is there twice, and takes it out of events where it does not belong", () => {
    const ours = { hooks: [{ type: "command", command: "npx agent-gauntlet stop-hook" }] };
    const before = JSON.stringify({ hooks: { Stop: [ours, ours], SubagentStop: [ours] } });

    const installed: unknown = parse(install(before));

    const hook = { type: "command", command: "agent-gauntlet stop-hook" };
    expect(installed).toEqual({ hooks: { Stop: [{ hooks: [hook] }], SubagentStop: [] } });
  });

  test("starts afresh where the file held nothing but ours in the wrong event", () => {
    expect(install(install(undefined).replace("Stop", "SubagentStop"))).toBe(install(undefined));
  });

  test("registers several events at once", () => {
    const installed: unknown = parse(install('{"hooks":{"Stop":[]}}', twoEvents));

    expect(installed).toEqual({
      hooks: {
        Stop: [{ hooks: [{ type: "command", command: "other hook Stop" }] }],
        SessionEnd: [{ hooks: [{ type: "command", command: "other hook SessionEnd" }] }],
      },
    });
  });

  test.each([
    ['{ "model": "opus" "env": {} }', "settings.local.json:1:19: error: not valid JSON: a comma is missing"],
    ['{\n  "a": 1,\n  "b": [\n', "settings.local.json:4:1: error: not valid JSON"],
    ["// nothing but this", "settings.local.json:1:20: error: not valid JSON"],
    ["[]", "settings.local.json:1:1: error: must be a JSON object"],
    ['{ "hooks": [] }', 'settings.local.json:1:12: error: "hooks" must be an object'],
    ['{ "hooks": { "Stop": {} } }', 'settings.local.json:1:22: error: "Stop" must be a list'],
    ['{ "hooks": {}, "hooks": {} }', 'settings.local.json:1:16: error: "hooks" is there twice'],
  ])("refuses %j with the place and what to paste", (before, place) => {
    const plan = planInstall(before, stopHook);

    const message = plan.ok ? "" : explain(plan.trouble);
    expect(message).toContain(place);
    expect(message).toContain('"command": "agent-gauntlet stop-hook"');
  });
});

describe("uninstalling", () => {
  test("removes the file that installing made", () => {
    expect(planUninstall(install(undefined), stopHook)).toEqual({ ok: true, value: { kind: "removed" } });
  });

  test("removes the file that two products made together", () => {
    const both = install(install(undefined), twoEvents);

    expect(planUninstall(uninstall(both), twoEvents)).toEqual({ ok: true, value: { kind: "removed" } });
  });

  test("does nothing where nothing of ours is", () => {
    const foreign =
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say agent-gauntlet stop-hook"}]}]}}';

    expect(planUninstall(foreign, stopHook)).toEqual({ ok: true, value: { kind: "unchanged" } });
    expect(planUninstall(undefined, stopHook)).toEqual({ ok: true, value: { kind: "unchanged" } });
  });

  test("takes our hook out of an entry that it shares, and the entry only when nothing is left in it", () => {
    const ours = '{"command": "npx --no-install agent-gauntlet stop-hook"}';
    const before = `{"hooks": {"Stop": [{"hooks": [{"command": "a"}, ${ours}, {"command": "b"}]}, {"hooks": [${ours}]}]}}`;

    expect(uninstall(before)).toBe('{"hooks": {"Stop": [{"hooks": [{"command": "a"}, {"command": "b"}]}]}}');
  });

  test("keeps a comment that was added to what we wrote", () => {
    const commented = install(undefined).replace("{\n", "{\n  // for Ann\n");

    expect(uninstall(commented)).toBe("{\n  // for Ann\n}\n");
  });

  test("never lets a line comment swallow what follows", () => {
    const before =
      '{"hooks": {"Stop": [{"hooks": [{"command": "a"}, // why\n {"command": "agent-gauntlet stop-hook"}]}]}}';

    expect(parse(uninstall(before), [])).toEqual({ hooks: { Stop: [{ hooks: [{ command: "a" }] }] } });
  });

  test.each([
    ["", "an empty file"],
    ["\n\n", "blank lines"],
    ["{}", "an empty object"],
    ["{}\n", "an empty object with a line end"],
    ["{\n}\n", "an empty object on two lines"],
    ['{"hooks":{}}', "empty hooks"],
    ['{\n  "hooks": {\n  }\n}\n', "empty hooks on two lines"],
    ['{"hooks":{"Stop":[ ]}}', "an empty list"],
    ['{"hooks":{"Stop":[]},}', "a trailing comma"],
    ['{"hooks":{"Stop":[{"hooks":[]}]}}', "an empty entry"],
    ['{ /* a */ "a": 1 /* b */ } // c', "comments everywhere"],
  ])("gives back %j (%s)", (before) => {
    expect(uninstall(install(before))).toBe(before);
  });
});

test("installing then uninstalling gives the same bytes, whatever the file", () => {
  fc.assert(
    fc.property(settingsText, (before) => {
      const installed = install(before);

      expect(planInstall(installed, stopHook)).toEqual({ ok: true, value: { kind: "unchanged" } });
      expect(parse(installed)).toEqual(withOurHook(parse(before)));
      expect(uninstall(installed)).toBe(before);
    }),
    { numRuns: runs(150) },
  );
});

test("two products come and go in any order and leave the same bytes", () => {
  fc.assert(
    fc.property(settingsText, fc.boolean(), (before, firstInFirstOut) => {
      const both = install(install(before), twoEvents);
      const [first, second] = firstInFirstOut ? [stopHook, twoEvents] : [twoEvents, stopHook];

      expect(uninstall(uninstall(both, first), second)).toBe(before);
    }),
    { numRuns: runs(75) },
  );
});

function install(text: string | undefined, registration = stopHook): string {
  return textOf(planInstall(text, registration), text);
}

function uninstall(text: string, registration = stopHook): string {
  return textOf(planUninstall(text, registration), text);
}

function textOf(plan: ReturnType<typeof planInstall>, before: string | undefined): string {
  if (!plan.ok) throw new Error(explain(plan.trouble));
  if (plan.value.kind === "removed") throw new Error("the file is removed");
  return plan.value.kind === "unchanged" ? (before ?? "") : plan.value.text;
}

function withOurHook(value: { hooks?: { Stop?: unknown[] } }): unknown {
  const ours = { hooks: [{ type: "command", command: "agent-gauntlet stop-hook", timeout: 300 }] };
  return { ...value, hooks: { ...value.hooks, Stop: [...(value.hooks?.Stop ?? []), ours] } };
}

/** JSON with comments, odd spaces, either kind of line end, perhaps trailing commas; the shape of a settings file. */
const settingsText = fc
  .record({
    eol: fc.constantFrom("\n", "\r\n"),
    trivia: fc.array(
      fc.constantFrom(
        "",
        "",
        " ",
        "\n",
        "\n  ",
        "\t",
        " // line, {[\n",
        "/* block ] */",
        '\n\n// "own" line\n',
      ),
      { minLength: 40, maxLength: 40 },
    ),
    trailingComma: fc.boolean(),
    isCompact: fc.boolean(),
    value: settingsValue(),
    end: fc.constantFrom("", "\n", "\n// end"),
  })
  .map(({ eol, trivia, trailingComma, isCompact, value, end }) => {
    let used = 0;
    const gap = (): string => (isCompact ? "" : (trivia[used++ % trivia.length] ?? ""));
    const text = print(value, gap, trailingComma ? "," : "") + end;
    return text.replaceAll("\n", eol);
  });

function settingsValue(): fc.Arbitrary<object> {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.constant(null));
  const hook = fc.record({ type: fc.constant("command"), command: fc.string() });
  const entry = fc.record({ matcher: fc.string(), hooks: fc.array(hook, { maxLength: 2 }) });
  const list = fc.array(entry, { maxLength: 2 });
  const hooks = fc.record({ PreToolUse: list, Stop: list, Notification: list }, { requiredKeys: [] });
  const env = fc.dictionary(
    fc.string().filter((key) => key !== "__proto__"),
    scalar,
    { maxKeys: 2 },
  );
  return fc.record({ model: scalar, hooks, env, 'a "quoted" // key': scalar }, { requiredKeys: [] });
}

function print(value: unknown, gap: () => string, comma: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const items = Array.isArray(value)
    ? value.map((item) => print(item, gap, comma))
    : Object.entries(value).map(
        ([key, item]) => `${JSON.stringify(key)}${gap()}:${gap()}${print(item, gap, comma)}`,
      );
  const inside =
    items.map((item) => gap() + item + gap()).join(",") + (items.length > 0 ? comma : "") + gap();
  return Array.isArray(value) ? `[${inside}]` : `{${inside}}`;
}

test("a host that does not say when a session starts has its first prompt registered for that", () => {
  const { prompt, stop } = CLAUDE_CODE_HOOKS.events;
  const silent = { ...claudeCode, registration: { ...CLAUDE_CODE_HOOKS, events: { prompt, stop } } };
  const mute = { ...claudeCode, registration: { ...CLAUDE_CODE_HOOKS, events: { stop } } };
  const wanted = { hooks: ["session_start"], command: "agent-gauntlet stop-hook" } as const;

  expect(hostHooks(silent, wanted)).toMatchObject([
    { event: "UserPromptSubmit", command: "agent-gauntlet session-start" },
  ]);
  expect(hostHooks(mute, wanted)).toEqual([]);
});

describe("the hooks of brepl", () => {
  const hook = fc.record({
    type: fc.constant("command"),
    command: fc.constantFrom("say done", "make lint", "brepl-like"),
  });
  const entry = fc.record(
    { matcher: fc.constantFrom("", "*"), hooks: fc.array(hook, { maxLength: 3 }) },
    { requiredKeys: ["hooks"] },
  );
  const events = fc.constantFrom("Stop", "SessionEnd", "PreToolUse");
  const settings = fc.record(
    { model: fc.string(), hooks: fc.dictionary(events, fc.array(entry, { maxLength: 3 })) },
    { requiredKeys: [] },
  );

  test("settings are byte for byte the same after install and uninstall, whatever is in them", () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(undefined, 2, 4, "\t"), (value, indent) => {
        const before = JSON.stringify(value, null, indent);

        const installed = planInstall(before, breplHooks("brepl"));
        const text = installed.ok && installed.value.kind === "written" ? installed.value.text : "";
        const twice = planInstall(text, breplHooks("brepl"));
        const restored = planUninstall(text, breplHooks("brepl"));

        expect(twice).toEqual({ ok: true, value: { kind: "unchanged" } });
        expect(restored).toEqual({ ok: true, value: { kind: "written", text: before } });
      }),
    );
  });
});
