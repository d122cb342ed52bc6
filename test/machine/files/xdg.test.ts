import { isAbsolute } from "node:path";
import { expect, test } from "vitest";
import { homeDirectory, stateHome } from "../../../src/machine/files/xdg.ts";

test.for([{}, { HOME: "" }, { HOME: "home" }])("no home directory is inside the project: %o", (env) => {
  expect(isAbsolute(homeDirectory(env))).toBe(true);
});

test("a relative XDG_STATE_HOME is ignored, as the specification says", () => {
  const home = stateHome({ HOME: "/home/me", XDG_STATE_HOME: "state" });

  expect(home).toBe("/home/me/.local/state/agent-gauntlet");
});
