import { createInterface } from "node:readline";
import { describe, expect, test, vi } from "vitest";

import { KILO, OPENCODE } from "../rig/hosts/clients.ts";
import { gatedProject, prepare } from "../rig/hosts/gated-project.ts";
import { startClient } from "../rig/hosts/run-client.ts";

/** Several hundred MB: AGENT_GAUNTLET_E2E_ALL=1 runs them. */
const isForAll = Boolean(process.env["AGENT_GAUNTLET_E2E_ALL"]);

describe.runIf(isForAll).each([OPENCODE, KILO])("the server of the real $host $release.version", (client) => {
  test("prompts again with the reason, and rests after the fix", async ({ skip }) => {
    await using project = await gatedProject();
    await using ready = await prepare(client, project, {
      answer: async (question) => {
        if (question === 2) await project.write({ "state.txt": "fixed\n" });
        return "Done.";
      },
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
});

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
