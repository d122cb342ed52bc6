import { expect, test } from "vitest";
import { withOwnCommand } from "../../../src/system/process/runtime.ts";

const HINT = "Run `agent-gauntlet run`, or `agent-gauntlet clean`.";
const ELSEWHERE = "To allow them: `cd /app && agent-gauntlet allow`; agent-gauntlet says so.";
const COPY = "node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs";

test.for<[file: string, start: string]>([
  ["/app/node_modules/.bin/agent-gauntlet", "npx agent-gauntlet"],
  [`/app/${COPY}`, "npx agent-gauntlet"],
  [`/app/node_modules/.pnpm/agent-gauntlet@1.2.3/${COPY}`, "npx agent-gauntlet"],
  [`/home/ann/.npm/_npx/0f3c/${COPY}`, "npx agent-gauntlet"],
  [String.raw`C:\app\node_modules\agent-gauntlet\dist\cli\agent-gauntlet.cjs`, "npx agent-gauntlet"],
  ["/app/node_modules/agent-gauntlet-linux-x64/agent-gauntlet", "npx agent-gauntlet-native"],
  ["/app/node_modules/@own/agent-gauntlet-linux-x64/agent-gauntlet", "npx agent-gauntlet-native"],
  ["/app/node_modules/@own/agent-gauntlet/dist/cli/agent-gauntlet.cjs", "npx agent-gauntlet"],
  ["/app/node_modules/.bin/agent-gauntlet-native", "npx agent-gauntlet-native"],
  [`/app/.yarn/cache/agent-gauntlet-npm-1.2.3.zip/${COPY}`, "yarn agent-gauntlet"],
  ["/usr/local/bin/agent-gauntlet", "agent-gauntlet"],
  [`/opt/node/lib/${COPY}`, "agent-gauntlet"],
  [`/home/ann/.local/share/pnpm/global/5/.pnpm/agent-gauntlet@1.2.3/${COPY}`, "agent-gauntlet"],
  [`/home/ann/.bun/install/global/${COPY}`, "agent-gauntlet"],
  ["/src/agent-gauntlet/dist/cli/agent-gauntlet.cjs", "agent-gauntlet"],
  ["/src/agent-gauntlet/node_modules/vitest/dist/worker.js", "agent-gauntlet"],
])("a hint of %s says %s", ([file, start]) => {
  expect(withOwnCommand(HINT, file)).toBe(`Run \`${start} run\`, or \`${start} clean\`.`);
  expect(withOwnCommand(ELSEWHERE, file)).toBe(ELSEWHERE.replace("&& agent-gauntlet", `&& ${start}`));
});
