import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanEnv, GauntletProject, run } from "../rig/gauntlet-project.ts";
import { BREPL } from "../rig/program.ts";

interface Received {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** A collector on this machine: takes OTLP over HTTP as JSON, and answers as one does. */
async function collector(status = 200): Promise<Collector> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      received.push({ path: request.url ?? "", body });
      response.writeHead(status, { "Content-Type": "application/json" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return new Collector(server, received);
}

class Collector implements Disposable {
  readonly #server: Server;
  readonly received: Received[];

  constructor(server: Server, received: Received[]) {
    this.#server = server;
    this.received = received;
  }

  get env(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo; // a listening TCP server has one
    return { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
  }

  /** Every span, with its attributes as a plain object. */
  get spans(): readonly Span[] {
    return this.received
      .filter(({ path }) => path === "/v1/traces")
      .flatMap(({ body }) => findAll(body, "spans"));
  }

  get metrics(): readonly { readonly name: string }[] {
    return this.received
      .filter(({ path }) => path === "/v1/metrics")
      .flatMap(({ body }) => findAll(body, "metrics"));
  }

  [Symbol.dispose](): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

function findAll(value: unknown, name: string): readonly Span[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (key === name ? (one as Span[]) : findAll(one, name)));
}

function attributesOf({ attributes }: Span): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** On a busy machine what is sent may be dropped, as it should be: again, until one is sent. */
async function untilSent(
  otel: Collector,
  act: () => Promise<unknown>,
  { isSampled = true }: { readonly isSampled?: boolean } = {},
): Promise<void> {
  await expect
    .poll(
      async () => {
        await act();
        return otel.metrics.length > 0 && (!isSampled || otel.spans.length > 0);
      },
      { timeout: 55_000 },
    )
    .toBe(true);
}

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

describe("telemetry", () => {
  test("a stop and its gates are spans below the host's, gates are given their own, and durations and verdicts are metrics", async () => {
    using otel = await collector();
    await using project = await GauntletProject.withChecks({
      parent: 'echo "parent $TRACEPARENT"; echo "a.txt:1:1: error: bad"; exit 1',
      fine: "true",
    });
    await project.write({ "a.txt": "" });

    let stops = 0;
    await untilSent(otel, async () => {
      const event = { session_id: `session-${++stops}` };
      const { answer, exitCode } = await project.stop(event, { env: { ...otel.env, TRACEPARENT: PARENT } });
      expect([answer.decision, exitCode]).toEqual(["block", 0]);
    });

    const [stop, parent] = ["stop", "check:.:parent"].map((name) =>
      otel.spans.find((span) => span.name === name),
    );
    expect(otel.spans.map(({ name }) => name).toSorted()).toEqual(["check:.:fine", "check:.:parent", "stop"]);
    expect(stop).toMatchObject({ traceId: PARENT.split("-")[1], parentSpanId: PARENT.split("-")[2] });
    expect(stop && attributesOf(stop)).toMatchObject({
      "gauntlet.host": "claude-code",
      "gauntlet.session": `session-${stops}`,
      "gauntlet.status": "failed",
      "gauntlet.decision": "block",
      "gauntlet.attempt": 1,
      "gauntlet.reuse": false,
    });
    expect(parent).toMatchObject({ parentSpanId: stop?.spanId, status: { code: 2 } });
    expect(project.read(`gauntlet_logs/check_._parent.${stops}.log`)).toContain(
      `parent 00-${stop?.traceId}-${parent?.spanId}-01`,
    );
    expect(otel.metrics.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["gauntlet.gate.duration", "gauntlet.stop.duration", "gauntlet.verdicts"]),
    );
  });

  test("a run from the terminal is a span with its gates below, in the trace of whoever started it", async () => {
    using otel = await collector();
    await using project = await GauntletProject.withChecks({ test: 'echo "parent $TRACEPARENT"; exit 1' });
    await project.write({ "a.txt": "" });

    await untilSent(otel, async () => {
      const { exitCode, stdout } = await project.gauntlet(["check"], {
        env: { ...otel.env, TRACEPARENT: PARENT },
      });
      expect([exitCode, stdout.endsWith("Status: Failed\n")]).toEqual([1, true]);
    });

    const [run, gate] = ["run", "check:.:test"].map((name) =>
      otel.spans.findLast((span) => span.name === name),
    );
    expect(run).toMatchObject({ traceId: PARENT.split("-")[1], parentSpanId: PARENT.split("-")[2] });
    expect(run && attributesOf(run)).toEqual({
      "gauntlet.door": "check",
      "gauntlet.project": "project",
      "gauntlet.status": "failed",
      "gauntlet.reuse": false,
    });
    expect(gate).toMatchObject({ parentSpanId: run?.spanId });
    const last = readdirSync(join(project.root, "gauntlet_logs")).findLast((name) =>
      name.startsWith("check_"),
    );
    expect(project.read(`gauntlet_logs/${last}`)).toContain(`-${gate?.spanId}-01`);
    expect(otel.metrics.map(({ name }) => name)).toContain("gauntlet.run.duration");
  });

  test("brepl's stops are sent, and its hooks get their spans", async () => {
    using otel = await collector();
    await using project = await GauntletProject.create({
      ".brepl/hooks.edn": '{:stop [{:type :bash :name "lint" :command "echo $TRACEPARENT > parent.txt"}]}',
    });
    const at = { cwd: project.root, env: { ...cleanEnv(project.home), ...otel.env } };

    await untilSent(otel, () => run([...BREPL, "hook", "stop"], { ...at, stdin: '{"session_id": "one"}' }));

    const stop = otel.spans.findLast(({ name }) => name === "stop");
    expect(stop && attributesOf(stop)).toMatchObject({
      "gauntlet.door": "brepl",
      "gauntlet.project": "project",
    });
    const hook = otel.spans.findLast(({ name }) => name.endsWith(":lint"));
    expect(project.read("parent.txt")).toContain(`-${hook?.spanId}-01`);
  });

  test("the stops of the SDK are sent", async () => {
    using otel = await collector();
    await using project = await GauntletProject.withChecks({ test: "true" });
    await project.write({ "a.txt": "" });
    const sdk = join(import.meta.dirname, "../../dist/sdk.mjs");
    const script = `import { gauntletValidator, Session } from ${JSON.stringify(sdk)};
      const context = { session: new Session(), cwd: process.cwd(), maxStopRetries: 3 };
      await gauntletValidator()({ retryCount: 0, stopReason: "end_turn" }, { context });`;
    const at = { cwd: project.root, env: { ...cleanEnv(project.home), ...otel.env } };

    await untilSent(otel, () => run([process.execPath, "--input-type=module", "-e", script], at));

    const stop = otel.spans.findLast(({ name }) => name === "stop");
    expect(stop && attributesOf(stop)).toMatchObject({ "gauntlet.door": "sdk", "gauntlet.status": "passed" });
  });

  test("a stop that is not sent is dropped and counted, and the next one that is sent tells", async () => {
    using failing = await collector(400);
    using otel = await collector();
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    await using project = await GauntletProject.withChecks({ fine: "true" });
    await project.write({ "a.txt": "" });

    const answers = [
      await project.stop({}, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" } }),
      await project.stop({}, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } }),
      await project.stop({}, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: "not an address" } }),
      await project.stop({}, { env: failing.env }),
    ];
    await untilSent(otel, () => project.stop({}, { env: otel.env }));
    silent.closeAllConnections();
    silent.close();

    expect(answers.map(({ answer, exitCode }) => [answer.decision, exitCode])).toEqual(
      answers.map(() => ["approve", 0]),
    );
    const dropped = otel.metrics.find(({ name }) => name === "gauntlet.telemetry.dropped");
    const { dataPoints } = (dropped as unknown as { sum: { dataPoints: { asDouble: number }[] } }).sum;
    expect(dataPoints[0]?.asDouble).toBeGreaterThanOrEqual(4);
  });

  test("what the host does not sample is not traced, and with OTEL_SDK_DISABLED nothing is sent", async () => {
    using otel = await collector();
    await using project = await GauntletProject.withChecks({ parent: 'echo "parent $TRACEPARENT"; exit 1' });
    await project.write({ "a.txt": "" });

    await project.stop({}, { env: { ...otel.env, OTEL_SDK_DISABLED: "true" } });
    expect(otel.received).toEqual([]);
    const unsampled = { ...otel.env, TRACEPARENT: PARENT.replace(/01$/, "00") };
    await untilSent(otel, () => project.stop({}, { env: unsampled }), { isSampled: false });

    expect(otel.spans).toEqual([]);
    expect(otel.metrics).not.toEqual([]);
    expect(project.read("gauntlet_logs/check_._parent.2.log")).toMatch(
      /^parent 00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-00$/m,
    );
  });
});
