import { expect, test } from "vitest";
import { encode } from "../../../src/system/nrepl/bencode.ts";
import { evaluate } from "../../../src/system/nrepl/evaluate.ts";
import { withGrowingLimit } from "../../rig/growing-limit.ts";
import { answering, closedPort, nreplWireServer, type WireRequest } from "../../rig/nrepl-wire-server.ts";

const never = new AbortController().signal;

async function evaluateAt(port: number, { timeoutMs = 10_000, signal = never, host = "127.0.0.1" } = {}) {
  const output: Buffer[] = [];
  const request = {
    server: { host, port },
    code: "(run)",
    timeoutMs,
    onOutput: (chunk: Buffer) => output.push(chunk),
  };
  const end = await evaluate(request, signal);
  return { end, output: Buffer.concat(output).toString() };
}

const idOf = (request: WireRequest): string => request["id"] ?? "";

test("gives back values, what was printed and the order of it all", async () => {
  await using server = await nreplWireServer(
    answering((request, { send }) => {
      const id = idOf(request);
      send({ id, out: "one\n" });
      send({ id, err: "two\n" });
      send({ id, value: "3" });
      send({ id, out: "four" });
      send({ id, status: ["done"] });
    }),
  );

  const { end, output } = await evaluateAt(server.port);

  expect(end).toEqual({ kind: "evaluated", values: ["3"], printed: "one\nfour" });
  expect(output).toBe("one\ntwo\n=> 3\nfour");
});

test("evaluates in its own session and closes it", async () => {
  await using server = await nreplWireServer(
    answering((request, { send }) => send({ id: idOf(request), status: ["done"] })),
  );

  await evaluateAt(server.port);

  await expect
    .poll(() => server.received.map(({ op, session }) => [op, session]))
    .toEqual([
      ["clone", undefined],
      ["eval", "session-1"],
      ["close", "session-1"],
    ]);
});

test("takes only the replies to its own request", async () => {
  await using server = await nreplWireServer(
    answering((request, { send }) => {
      send({ id: "someone else", value: "wrong", status: ["done", "eval-error"] });
      send({ value: "no id at all" });
      send({ id: idOf(request), value: "right", status: ["done"] });
    }),
  );

  const { end } = await evaluateAt(server.port);

  expect(end).toMatchObject({ kind: "evaluated", values: ["right"] });
});

test("understands replies that arrive byte by byte", async () => {
  await using server = await nreplWireServer(
    answering(async (request, { socket }) => {
      const frame = encode({ id: idOf(request), out: "grün\n", value: "1", status: ["done"] });
      for (const byte of frame) await new Promise((resolve) => socket.write(Buffer.from([byte]), resolve));
    }),
  );

  const { end, output } = await evaluateAt(server.port);

  expect(end).toMatchObject({ kind: "evaluated", values: ["1"] });
  expect(output).toContain("grün");
});

test.each([
  ["ex alone, as nbb sends it", { ex: "#error {}" }, "#error {}"],
  ["eval-error alone", { status: ["eval-error"] }, "the evaluation was ended by an error"],
  ["an interruption by someone else", { status: ["interrupted"] }, "the evaluation was ended by an error"],
])("calls %s an exception", async (_, message, exception) => {
  await using server = await nreplWireServer(
    answering((request, { send }) => {
      send({ id: idOf(request), ...message });
      send({ id: idOf(request), status: ["done"] });
    }),
  );

  const { end } = await evaluateAt(server.port);

  expect(end).toMatchObject({ kind: "evaluated", exception });
});

test("interrupts what runs over its time, and only that", async () => {
  await using server = await nreplWireServer(answering(() => {}));

  const { end } = await withGrowingLimit(
    (seconds) => evaluateAt(server.port, { timeoutMs: seconds * 1000 }),
    () => server.received.some(({ op }) => op === "eval"),
    0.1,
  );

  expect(end).toEqual({ kind: "timed-out" });
  const evaluation = server.received.find(({ op }) => op === "eval");
  await expect.poll(() => server.received.at(-1)?.["op"]).toBe("close");
  expect(server.received.find(({ op }) => op === "interrupt")).toMatchObject({
    "interrupt-id": evaluation?.["id"],
    session: "session-1",
  });
});

test("interrupts when it is cancelled", async () => {
  const stop = new AbortController();
  await using server = await nreplWireServer(answering(() => stop.abort()));

  const { end } = await evaluateAt(server.port, { signal: stop.signal });

  expect(end).toEqual({ kind: "cancelled" });
  await expect.poll(() => server.received.some(({ op }) => op === "interrupt")).toBe(true);
});

test("gives code that reads input the end of input", async () => {
  await using server = await nreplWireServer((request, wire) => {
    answering(() => wire.send({ id: idOf(request), status: ["need-input"] }))(request, wire);
    if (request["op"] === "stdin") wire.send({ id: "2", value: "nil", status: ["done"] });
  });

  const { end } = await evaluateAt(server.port);

  expect(end).toMatchObject({ kind: "evaluated", values: ["nil"] });
  expect(server.received.find(({ op }) => op === "stdin")).toMatchObject({ stdin: "", session: "session-1" });
});

test("evaluates on a server that knows no sessions", async () => {
  await using server = await nreplWireServer((request, { send }) => {
    const status = request["op"] === "clone" ? ["done", "error", "unknown-op"] : ["done"];
    send({ id: idOf(request), value: "1", status });
  });

  const { end } = await evaluateAt(server.port);

  expect(end).toMatchObject({ kind: "evaluated", values: ["1"] });
  expect(server.received[1]).toEqual({ op: "eval", code: "(run)", id: "2" });
});

test("keeps memory flat when a value is huge", async () => {
  await using server = await nreplWireServer(
    answering((request, { send }) => {
      send({ id: idOf(request), value: "x".repeat(20 * 1024 * 1024) });
      send({ id: idOf(request), status: ["done"] });
    }),
  );

  const { end } = await evaluateAt(server.port);

  expect(end).toMatchObject({ kind: "evaluated", values: ["x".repeat(64 * 1024)] });
});

test("calls a closed port no server", async () => {
  const { end } = await evaluateAt(await closedPort());

  expect(end).toMatchObject({
    kind: "no-server",
    begun: false,
    detail: expect.stringContaining("ECONNREFUSED"),
  });
});

test("names the reason when every address of a name refuses", async () => {
  const { end } = await evaluateAt(await closedPort(), { host: "localhost" });

  expect(end).toMatchObject({ kind: "no-server", detail: expect.stringContaining("ECONNREFUSED") });
});

test("calls a disconnect in the middle no server, and says that the evaluation had begun", async () => {
  await using server = await nreplWireServer(answering((_, { socket }) => socket.resetAndDestroy()));

  const { end } = await evaluateAt(server.port);

  expect(end).toMatchObject({ kind: "no-server", begun: true });
});

test("calls a server that talks something else no server", async () => {
  await using server = await nreplWireServer((_, { socket }) =>
    socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
  );

  const { end } = await evaluateAt(server.port);

  expect(end).toMatchObject({ kind: "no-server", detail: expect.stringContaining("does not speak nREPL") });
});

test("waits for a server that is up but hangs up until it is ready", async () => {
  let connections = 0;
  await using server = await nreplWireServer((request, wire) => {
    if (request["op"] === "clone" && ++connections < 3) wire.socket.resetAndDestroy();
    else answering(() => wire.send({ id: idOf(request), value: "1", status: ["done"] }))(request, wire);
  });

  const { end } = await evaluateAt(server.port);

  expect(end).toMatchObject({ kind: "evaluated", values: ["1"] });
});

test("does not wait longer than the hook may take for a server that never answers", async () => {
  await using server = await nreplWireServer(() => {});

  const { end } = await evaluateAt(server.port, { timeoutMs: 200 });

  expect(end).toMatchObject({ kind: "no-server", detail: expect.stringContaining("does not answer") });
});

test("calls a server that refuses to evaluate no server", async () => {
  await using server = await nreplWireServer(
    answering((request, { send }) => send({ id: idOf(request), status: ["done", "error", "unknown-op"] })),
  );

  const { end } = await evaluateAt(server.port);

  expect(end).toMatchObject({ kind: "no-server", detail: "it refuses to evaluate: unknown-op" });
});
