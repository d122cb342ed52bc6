import { expect, test } from "vitest";
import {
  type Installation,
  chooseHookCommand,
  isOfOneProject,
  isOurCommand,
  pathOfHooks,
} from "../../src/install/hook-command.ts";

const checkout: Installation = {
  script: "/home/ann/agent-gauntlet/dist/cli/agent-gauntlet.cjs",
  version: "1.2.3",
  onPath: [],
  node: "node",
  isWindows: false,
};

const choices: readonly [situation: string, Installation, line: string][] = [
  [
    "is the bare name where it is installed for good",
    { ...checkout, onPath: ["/usr/local/bin/agent-gauntlet"] },
    "agent-gauntlet stop-hook",
  ],
  [
    "names the file of a checkout",
    checkout,
    "node /home/ann/agent-gauntlet/dist/cli/agent-gauntlet.cjs stop-hook",
  ],
  [
    "names the file of a development dependency, though npm has its commands on the PATH for now",
    {
      ...checkout,
      script: "/home/ann/my app/node_modules/.bin/agent-gauntlet",
      onPath: ["/home/ann/my app/node_modules/.bin/agent-gauntlet"],
    },
    "node '/home/ann/my app/node_modules/.bin/agent-gauntlet' stop-hook",
  ],
  [
    "names the file where `pnpm exec` has ./node_modules/.bin on the PATH",
    { ...checkout, onPath: ["node_modules/.bin/agent-gauntlet"] },
    "node /home/ann/agent-gauntlet/dist/cli/agent-gauntlet.cjs stop-hook",
  ],
  [
    "names the file where yarn has a directory of its own on the PATH",
    { ...checkout, onPath: ["/tmp/xfs-0c5b1a2f/agent-gauntlet"] },
    "node /home/ann/agent-gauntlet/dist/cli/agent-gauntlet.cjs stop-hook",
  ],
  [
    "starts yarn where the file is in an archive of Plug'n'Play",
    {
      ...checkout,
      script:
        "/app/.yarn/__virtual__/agent-gauntlet-virtual-8c/2/cache/agent-gauntlet-npm-1.2.3.zip/node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs",
      onPath: ["/tmp/xfs-0c5b1a2f/agent-gauntlet"],
    },
    "yarn agent-gauntlet stop-hook",
  ],
  [
    "names the native executable where there is one",
    { ...checkout, native: "/home/ann/my app/node_modules/.bin/agent-gauntlet-native" },
    "'/home/ann/my app/node_modules/.bin/agent-gauntlet-native' stop-hook",
  ],
  [
    "is the bare name before any file",
    { ...checkout, onPath: ["/usr/local/bin/agent-gauntlet"], native: "/opt/agent-gauntlet-native" },
    "agent-gauntlet stop-hook",
  ],
  [
    "names the release where npx fetched it for one run",
    {
      ...checkout,
      script: "/home/ann/.npm/_npx/0f3c/node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs",
      onPath: ["/home/ann/.npm/_npx/0f3c/node_modules/.bin/agent-gauntlet"],
    },
    "npx --yes agent-gauntlet@1.2.3 stop-hook",
  ],
  [
    "names node where that is not on the PATH",
    { ...checkout, node: "/opt/it's node/bin/node", script: "/srv/agent-gauntlet" },
    String.raw`'/opt/it'\''s node/bin/node' /srv/agent-gauntlet stop-hook`,
  ],
  [
    "quotes for Windows on Windows",
    { ...checkout, isWindows: true, script: String.raw`C:\Users\Ann B\agent-gauntlet.cjs` },
    'node "C:/Users/Ann B/agent-gauntlet.cjs" stop-hook',
  ],
];

test.each(choices)("the command %s", (_, installation, line) => {
  const command = chooseHookCommand(installation);

  expect(command.line).toBe(line);
  expect(isOurCommand(command.line)).toBe(true);
  expect(command.note === undefined).toBe(line === "agent-gauntlet stop-hook");
});

test.each([
  "agent-gauntlet stop-hook --verbose",
  "agent-gauntlet stop-hook 2>/dev/null",
  "npx --no-install agent-gauntlet stop-hook",
  "pnpm exec agent-gauntlet stop-hook",
  "npx agent-gauntlet-native stop-hook",
  "npx --yes @own/agent-gauntlet@1.2.3 stop-hook",
  "GAUNTLET_DEBUG=1 agent-gauntlet stop-hook",
  '"$CLAUDE_PROJECT_DIR"/node_modules/.bin/agent-gauntlet stop-hook',
  String.raw`"C:\Program Files\nodejs\node.exe" "C:\x\agent-gauntlet.cjs" stop-hook`,
])("%s is ours", (command) => {
  expect(isOurCommand(command)).toBe(true);
});

test.each([
  "",
  "agent-gauntlet",
  "agent-gauntlet run",
  "agent-gauntlet stop-hooks",
  "my-agent-gauntlet stop-hook",
  "echo agent-gauntlet stop-hook",
  "./notify.sh && agent-gauntlet stop-hook",
  "agent-gauntlet stop-hook; ./notify.sh",
  "agent-gauntlet brepl hook stop",
  "'agent-gauntlet stop-hook'",
])("%s is not ours", (command) => {
  expect(isOurCommand(command)).toBe(false);
});

test("hooks do not get the directories that package managers put on the PATH while they run", () => {
  const path =
    "./node_modules/.bin:/app/node_modules/.bin:/home/ann/.npm/_npx/0f3c/node_modules/.bin:/tmp/xfs-0c5b/:/usr/local/bin:/bin";

  expect(pathOfHooks(path, ":")).toBe("/usr/local/bin:/bin");
  expect(pathOfHooks(String.raw`C:\app\node_modules\.bin;C:\nodejs`, ";")).toBe(String.raw`C:\nodejs`);
});

test.each([
  "npx --yes agent-gauntlet@1.2.3 stop-hook",
  "yarn agent-gauntlet stop-hook",
  "node '/home/ann/my app/node_modules/.bin/agent-gauntlet' stop-hook",
  "node /home/ann/app/node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs stop-hook",
  "/home/ann/app/node_modules/.bin/agent-gauntlet-native stop-hook",
  'node "C:/Users/Ann B/app/node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs" stop-hook',
])("%s runs the copy of one project", (line) => {
  expect(isOfOneProject(line)).toBe(true);
});

test.each([
  "agent-gauntlet stop-hook",
  "node /home/ann/agent-gauntlet/dist/cli/agent-gauntlet.cjs stop-hook",
  "node /opt/node/lib/node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs stop-hook",
  "node /home/ann/.local/share/pnpm/global/5/node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs stop-hook",
  'node "C:/Users/Ann B/AppData/Roaming/npm/node_modules/agent-gauntlet/dist/cli/agent-gauntlet.cjs" stop-hook',
])("%s is for every project", (line) => {
  expect(isOfOneProject(line)).toBe(false);
});
