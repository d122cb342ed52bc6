import { expect, test } from "vitest";
import { absolutePath } from "../../../src/path.ts";
import { findHost } from "../../../src/hosts/host-table.ts";
import { type FileFormat, formatOf, hostFile } from "../../../src/install/files/host-files.ts";

const places = { root: absolutePath("/p"), home: absolutePath("/home/ann"), env: {} };

function formatFor(name: string, command = "agent-gauntlet stop-hook"): FileFormat {
  const host = findHost(name);
  const file = host && hostFile(host, "project", places);
  if (file === undefined) throw new Error(`${name} has no file`);
  return formatOf(file, { command, hooks: ["stop"] });
}

function written(format: FileFormat, before?: string): string {
  const planned = format.install(before);
  return planned.ok && planned.value.kind === "written" ? planned.value.text : "";
}

test.each(["opencode", "kilo", "pi"])("the plugin for %s says whose it is, and what it runs", (name) => {
  const text = written(formatFor(name));

  expect(text).toMatch(/^\/\/ agent-gauntlet plugin, version \d+: /);
  expect(text).toContain(`const COMMAND = "agent-gauntlet stop-hook --host ${name}";`);
});

test("a plugin is found again with its command, whatever is quoted in it", () => {
  const format = formatFor("opencode", `node '/a "b"/\\c.cjs' stop-hook`);

  expect(format.find(written(format))).toEqual([
    {
      event: "Stop",
      command: `node '/a "b"/\\c.cjs' stop-hook --host opencode`,
      timeout: 300,
      isOutdated: false,
    },
  ]);
});

test("a plugin of another version is outdated, and replaced by install", () => {
  const format = formatFor("pi");
  const old = written(format).replace(/version \d+/, "version 0");

  expect(format.find(old)).toMatchObject([{ isOutdated: true }]);
  expect(written(format, old)).toBe(written(format));
  expect(format.install(written(format))).toEqual({ ok: true, value: { kind: "unchanged" } });
});

test("another file in its place is neither replaced nor removed", () => {
  const format = formatFor("kilo");

  expect(format.install("export const Mine = 1;\n")).toMatchObject({
    ok: false,
    trouble: { kind: "host-settings-invalid" },
  });
  expect(format.uninstall("export const Mine = 1;\n")).toEqual({ ok: true, value: { kind: "unchanged" } });
  expect(format.find("export const Mine = 1;\n")).toEqual([]);
  expect(format.uninstall(written(format))).toEqual({ ok: true, value: { kind: "removed" } });
});
