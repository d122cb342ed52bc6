import { createServer } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import { listWorkers } from "../../../../src/features/remote/workers/list-workers.ts";

const FACTS = {
  since: 1,
  host: "h",
  pid: 7,
  platform: "linux-x64",
  concurrency: 2,
  running: 0,
  done: 3,
  version: "1.0.0",
};

const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** What is shown of a worker that says this of itself, by a Redis that answers nothing else. */
async function shown(facts: string) {
  const server = createServer((socket) =>
    socket.on("data", (asked) => {
      if (asked.includes("SMEMBERS")) socket.write(`*1\r\n${bulk("one")}`);
      else if (asked.includes("MGET")) socket.write(`*1\r\n${bulk(facts)}`);
      else socket.write(":4\r\n");
    }),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  try {
    return await listWorkers(`redis://127.0.0.1:${port}`, {});
  } finally {
    server.close();
  }
}

test("a worker is shown under the name it is registered with, with nothing that it makes up", async () => {
  expect(await shown(JSON.stringify({ ...FACTS, id: ["another"], more: 1 }))).toEqual({
    workers: [{ id: "one", ...FACTS }],
    queues: [{ platform: "linux-x64", waiting: 4 }],
  });
});

test("a worker that started at no time a date can show is left out", async () => {
  expect(await shown(JSON.stringify({ ...FACTS, since: 1e300 }))).toEqual({ workers: [], queues: [] });
});
