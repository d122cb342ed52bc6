import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { tomlFormat } from "../../../src/install/files/toml-hooks.ts";

const stop = { event: "Stop", command: "agent-gauntlet stop-hook --host kimi", timeout: 300 };
const start = { event: "SessionStart", command: "agent-gauntlet session-start --host kimi", timeout: 30 };
const kimi = tomlFormat([stop], "~/.kimi-code/config.toml");

const TABLE = `[[hooks]]
event = "Stop"
command = "agent-gauntlet stop-hook --host kimi"
timeout = 300`;

function installed(text: string | undefined): string {
  const planned = kimi.install(text);
  return planned.ok && planned.value.kind === "written" ? planned.value.text : "";
}

describe("one table in a TOML file", () => {
  test("creates the file where it is missing, and removes it again", () => {
    expect(installed(undefined)).toBe(`${TABLE}\n`);
    expect(kimi.uninstall(`${TABLE}\n`)).toEqual({ ok: true, value: { kind: "removed" } });
  });

  test("comes after everything else, and hooks of others stay", () => {
    const text = `default_model = "k"\n\n[[hooks]]\nevent = "Stop"\ncommand = "say done"\n`;

    expect(installed(text)).toBe(`${text}\n${TABLE}\n`);
  });

  test("is found with its command and timeout", () => {
    const text = `[[hooks]]\nevent = "Stop"\ncommand = 'npx agent-gauntlet stop-hook'\ntimeout = 45\n`;

    expect(kimi.find(text)).toMatchObject([
      { event: "Stop", command: "npx agent-gauntlet stop-hook", timeout: 45 },
    ]);
  });

  test("is corrected where it runs another command, and left alone where it is right", () => {
    const old = `[[hooks]]\nevent = "Stop"\ntimeout = 45 # mine\ncommand = "npx agent-gauntlet@1 stop-hook"\n`;

    expect(installed(old)).toBe(
      `[[hooks]]\nevent = "Stop"\ntimeout = 45 # mine\ncommand = "agent-gauntlet stop-hook --host kimi"\n`,
    );
    expect(kimi.install(`${TABLE}\n`)).toEqual({ ok: true, value: { kind: "unchanged" } });
  });

  test("is there once, however often it was there before", () => {
    expect(installed(`a = 1\n\n${TABLE}\n\n${TABLE}\n`)).toBe(`a = 1\n\n${TABLE}\n`);
  });

  test("is not seen inside a string or a comment", () => {
    expect(
      kimi.find(`text = """\n${TABLE}\n"""\n# [[hooks]]\n# command = "agent-gauntlet stop-hook"\n`),
    ).toEqual([]);
  });

  test("is not added beside a `hooks` that is a value", () => {
    expect(kimi.install("hooks = []\n")).toMatchObject({
      ok: false,
      trouble: { kind: "host-settings-invalid", diagnostic: { line: 1 }, snippet: TABLE },
    });
  });
});

test("installing and uninstalling leaves every file as it was, byte for byte", () => {
  const line = fc.constantFrom(
    "",
    "a = 1",
    "[models.fake]",
    "[[hooks]]",
    'event = "Stop"',
    'command = "say done"',
    "# note",
    'text = """',
    '"""',
    "  ",
  );
  const file = fc
    .tuple(fc.array(line), fc.constantFrom("\n", "\r\n"), fc.constantFrom("", "\n", "\r\n"))
    .map(([lines, eol, end]) => lines.join(eol) + end);

  fc.assert(
    fc.property(file, (text) => {
      const removed = kimi.uninstall(installed(text));
      expect(removed).toEqual({ ok: true, value: { kind: "written", text } });
    }),
  );
});

describe("a table for each of two hooks", () => {
  const both = tomlFormat([start, stop], "~/.kimi-code/config.toml");
  const START = TABLE.replace('"Stop"', '"SessionStart"')
    .replace("stop-hook", "session-start")
    .replace("300", "30");

  test.each([
    undefined,
    "",
    "\n",
    "a = 1",
    "a = 1\n",
    "a = 1\r\n",
    `[[hooks]]\nevent = "Stop"\ncommand = "say"\n`,
  ])("comes and goes without a trace: %j", (text) => {
    const planned = both.install(text);
    const written = planned.ok && planned.value.kind === "written" ? planned.value.text : "";

    expect(both.find(written)).toMatchObject([start, stop]);
    expect(both.install(written)).toEqual({ ok: true, value: { kind: "unchanged" } });
    expect(both.uninstall(written)).toEqual({
      ok: true,
      value: text === undefined ? { kind: "removed" } : { kind: "written", text },
    });
  });

  test("is added beside the one that is there", () => {
    const planned = both.install(`a = 1\n\n${TABLE}\n`);

    expect(planned).toEqual({
      ok: true,
      value: { kind: "written", text: `a = 1\n\n${TABLE}\n\n${START}\n` },
    });
  });

  test("goes when it is not wanted any more", () => {
    expect(installed(`${TABLE}\n\n${START}\n`)).toBe(`${TABLE}\n`);
  });
});
