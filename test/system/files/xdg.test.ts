import { isAbsolute } from "node:path";
import { expect, test } from "vitest";
import { homeDirectory, stateHome, userDirectory } from "../../../src/system/files/xdg.ts";

test.for([{}, { HOME: "" }, { HOME: "home" }])("no home directory is inside the project: %o", (env) => {
  expect(isAbsolute(homeDirectory(env))).toBe(true);
});

test("a relative XDG_STATE_HOME is ignored, as the specification says", () => {
  const home = stateHome({ HOME: "/home/me", XDG_STATE_HOME: "state" });

  expect(home).toBe("/home/me/.local/state/agent-gauntlet");
});

test("without the variable, and with one, the user's directories are where the specification puts them", () => {
  const cache = userDirectory({ HOME: "/home/me" }, "XDG_CACHE_HOME", ".cache");
  const config = userDirectory(
    { HOME: "/home/me", XDG_CONFIG_HOME: "/etc/me" },
    "XDG_CONFIG_HOME",
    ".config",
  );

  expect([cache, config]).toEqual(["/home/me/.cache/agent-gauntlet", "/etc/me/agent-gauntlet"]);
});
