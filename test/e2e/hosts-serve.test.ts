import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test, vi } from "vitest";

import { CODEX, KILO, OPENCODE } from "../rig/hosts/clients.ts";
import { gatedProject, prepare } from "../rig/hosts/gated-project.ts";
import { startClient } from "../rig/hosts/run-client.ts";

const PTY = join(import.meta.dirname, "../rig/terminal.py");

const PLUGINS = [
  { client: OPENCODE, inHome: false },
  { client: KILO, inHome: false },
  { client: KILO, inHome: true },
];

describe.each(PLUGINS)(
  "the server of the real $client.host, plugin in the home: $inHome,",
  ({ client, inHome }) => {
    test("prompts again with the reason, and rests after the fix", async ({ skip }) => {
      await using project = await gatedProject();
      await using ready = await prepare(client, project, {
        answer: async (question) => {
          if (question === 2) await project.write({ "state.txt": "fixed\n" });
          return "Done.";
        },
        inHome,
        skip,
      });
      if (ready === undefined) return;
      const server = startClient(client, ready.start, ["serve", "--port", "0", "--hostname", "127.0.0.1"]);
      try {
        const url = await addressIn(server.stdout);
        const session = (await post(`${url}/session`, {})) as { id: string };

        await post(`${url}/session/${session.id}/message`, { parts: [{ type: "text", text: "say hi" }] });

        await vi.waitFor(
          async () =>
            expect(await project.json(["explain"])).toMatchObject({
              event: { host: client.host, sessionId: session.id, continued: true },
              verdict: { decision: "allow", status: "passed" },
            }),
          { timeout: 60_000, interval: 500 },
        );
        expect(ready.model.questions).toHaveLength(2);
        expect(ready.model.questions[1]).toContain("Gauntlet gates did not pass");
      } finally {
        server.kill();
      }
    });
  },
);

test("the real Codex shows its user on a terminal that we gave up", async ({ skip }) => {
  await using project = await gatedProject({ maxRetries: 1 });
  await using ready = await prepare(CODEX, project, { answer: () => "I like it as it is.", skip });
  if (ready === undefined) return;
  const onTerminal = {
    ...ready.start,
    command: ["python3", PTY, "50", "160", ...ready.start.command],
    env: { TERM: "xterm-256color" },
  };
  const codex = startClient(CODEX, onTerminal, [
    "--dangerously-bypass-hook-trust",
    "--dangerously-bypass-approvals-and-sandbox",
    "say hi",
  ]);
  let shown = "";
  codex.stdout.setEncoding("utf8").on("data", (chunk: string) => (shown += chunk));
  try {
    await vi.waitFor(() => expect(bare(shown)).toContain("retrylimitexceeded,thegatesstillfail"), {
      timeout: 90_000,
      interval: 500,
    });
    expect(bare(shown)).toContain("Blockedbyhook");
  } finally {
    codex.kill();
  }
});

/** Without what moves the cursor and colours: a terminal program leaves spaces out where nothing was. */
function bare(shown: string): string {
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with one
  return shown.replaceAll(/\u001B\[[\d;?]*[a-z]|\s/gi, "");
}

async function addressIn(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error("the server ended without naming its address");
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}
