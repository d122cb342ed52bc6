import { describe, expect, test } from "vitest";

import { kilo, opencode, pi } from "../../src/hosts/plugin-hosts.ts";
import { recording } from "../rig/hosts/recorded.ts";
import { blocked, gaveUp } from "../rig/hosts/verdicts.ts";

test.each([
  { host: opencode, prompt: "msg_1e1846ff4001TPUGEfWVaoDGtY" },
  { host: pi, prompt: "01a1e183-cb0c-7775-ba6f-fa9efab3640d.1" },
])("reads what the plugin in $host.title asks", ({ host, prompt }) => {
  const first = recording(host.name, "stop");
  const second = recording(host.name, "stop-after-block");

  expect(host.parse(first.payload, first.surroundings)).toMatchObject({
    kind: "stop",
    event: {
      host: host.name,
      cwd: "/tmp/project",
      promptId: prompt,
      continued: false,
      lastMessage: "All done.",
    },
  });
  expect(host.parse(second.payload, second.surroundings)).toMatchObject({
    event: { promptId: prompt, continued: true },
  });
});

describe.each([opencode, kilo, pi])("the plugin in $title", (host) => {
  test("gets the decision, and what the user must know", () => {
    expect(JSON.parse(host.render(blocked).stdout)).toEqual({ decision: "block", reason: blocked.feedback });
    expect(JSON.parse(host.render(gaveUp).stdout)).toEqual({ systemMessage: gaveUp.notice });
  });
});
