import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "../rig/gauntlet-project.ts";

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

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

describe.concurrent("telemetry", () => {
  test("a stop and its gates are spans below the host's, gates are given their own, and durations and verdicts are metrics", async () => {
    using otel = await collector();
    await using project = await GauntletProject.withChecks({
      parent: 'echo "parent $TRACEPARENT"; echo "a.txt:1:1: error: bad"; exit 1',
      fine: "true",
    });
    await project.write({ "a.txt": "" });

    const { answer, exitCode } = await project.stop({}, { env: { ...otel.env, TRACEPARENT: PARENT } });

    expect([answer.decision, exitCode]).toEqual(["block", 0]);
    const [stop, parent] = ["stop", "check:.:parent"].map((name) =>
      otel.spans.find((span) => span.name === name),
    );
    expect(otel.spans.map(({ name }) => name).toSorted()).toEqual(["check:.:fine", "check:.:parent", "stop"]);
    expect(stop).toMatchObject({ traceId: PARENT.split("-")[1], parentSpanId: PARENT.split("-")[2] });
    expect(stop && attributesOf(stop)).toMatchObject({
      "gauntlet.host": "claude-code",
      "gauntlet.session": "session-1",
      "gauntlet.status": "failed",
      "gauntlet.decision": "block",
      "gauntlet.attempt": 1,
      "gauntlet.reuse": false,
    });
    expect(parent).toMatchObject({ parentSpanId: stop?.spanId, status: { code: 2 } });
    expect(project.read("gauntlet_logs/check_._parent.1.log")).toContain(
      `parent 00-${stop?.traceId}-${parent?.spanId}-01`,
    );
    expect(otel.metrics.map(({ name }) => name).toSorted()).toEqual([
      "gauntlet.gate.duration",
      "gauntlet.stop.duration",
      "gauntlet.verdicts",
    ]);
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
      await project.stop({}, { env: otel.env }),
    ];
    silent.closeAllConnections();
    silent.close();

    expect(answers.map(({ answer, exitCode }) => [answer.decision, exitCode])).toEqual(
      answers.map(() => ["approve", 0]),
    );
    const dropped = otel.metrics.find(({ name }) => name === "gauntlet.telemetry.dropped");
    expect(dropped).toMatchObject({ sum: { dataPoints: [{ asDouble: 4 }] } });
  });

  test("what the host does not sample is not traced, and with OTEL_SDK_DISABLED nothing is sent", async () => {
    using otel = await collector();
    await using project = await GauntletProject.withChecks({ parent: 'echo "parent $TRACEPARENT"; exit 1' });
    await project.write({ "a.txt": "" });

    await project.stop({}, { env: { ...otel.env, OTEL_SDK_DISABLED: "true" } });
    expect(otel.received).toEqual([]);
    await project.stop({}, { env: { ...otel.env, TRACEPARENT: PARENT.replace(/01$/, "00") } });

    expect(otel.spans).toEqual([]);
    expect(otel.metrics).not.toEqual([]);
    expect(project.read("gauntlet_logs/check_._parent.2.log")).toMatch(
      /^parent 00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-00$/m,
    );
  });
});
