import { join } from "node:path";
import { type Context, ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import packageJson from "../../../package.json" with { type: "json" };
import { type GateOutcome, isRed } from "../../gates/outcome.ts";
import { isNumber, objectOf } from "../../shape.ts";
import { makePrivateDirectory } from "../../system/files/files.ts";
import { stateHome } from "../../system/files/xdg.ts";
import type { Environment } from "../../system/process/environment.ts";
import { inTime, timeLimit } from "../../system/process/time-limit.ts";
import { jsonFile } from "../../system/state/json-file.ts";
import type { Traced } from "./trace-stop.ts";

/** What could not be sent in time; the next successful export reports the number. */
const droppedFile = jsonFile<{ readonly dropped: number }>(1, objectOf({ dropped: isNumber }));

/** Sends one stop or run over OTLP/HTTP. What is late is dropped and counted; returns false then. */
export async function exportTraced(
  traced: Traced,
  { env, leftMs }: { readonly env: Environment; readonly leftMs: number },
): Promise<boolean> {
  const path = join(stateHome(env), "telemetry.json");
  const dropped = droppedFile.read(path).value?.dropped ?? 0;
  const isSent = leftMs >= 1 && (await isSentInTime(traced, { dropped, leftMs }));
  const now = isSent ? 0 : dropped + 1;
  if (now !== dropped) keep(path, now, env);
  return isSent;
}

function keep(path: string, dropped: number, env: Environment): void {
  try {
    makePrivateDirectory(stateHome(env));
    droppedFile.write(path, { dropped });
  } catch {
    // where nothing can be kept, nothing is counted
  }
}

/** A rejection is an export that failed. */
async function isSentInTime(traced: Traced, sending: Sending): Promise<boolean> {
  const sent = send(traced, sending).catch(() => false);
  return (await inTime(sent, timeLimit(sending.leftMs))) ?? false;
}

interface Sending {
  readonly dropped: number;
  readonly leftMs: number;
}

async function send(traced: Traced, sending: Sending): Promise<boolean> {
  const { version } = packageJson;
  const resource = resourceFromAttributes({
    "service.name": "agent-gauntlet",
    "service.version": version,
  }).merge(detectResources({ detectors: [envDetector] }));
  const taken = await Promise.all([
    sendSpans(traced, resource, sending),
    sendMetrics(traced, resource, sending),
  ]);
  return taken.every(Boolean);
}

type Done = Parameters<OTLPTraceExporter["export"]>[1];

function watch(
  exporter: Pick<OTLPTraceExporter, "export"> | Pick<OTLPMetricExporter, "export">,
): () => boolean {
  let isTaken = true;
  const send = exporter.export.bind(exporter) as (items: unknown, done: Done) => void; // of either kind, as they come
  exporter.export = (items: unknown, done: Done) =>
    send(items, (result) => {
      isTaken &&= result.error === undefined;
      done(result);
    });
  return () => isTaken;
}

async function sendSpans(traced: Traced, resource: Resource, { leftMs }: Sending): Promise<boolean> {
  const exporter = new OTLPTraceExporter({ timeoutMillis: leftMs });
  const isTaken = watch(exporter);
  const processor = new BatchSpanProcessor(exporter, { exportTimeoutMillis: leftMs });
  const ids = new GivenIds(traced.parent.traceId);
  const provider = new BasicTracerProvider({ resource, idGenerator: ids, spanProcessors: [processor] });
  recordSpans(traced, provider, ids);
  await provider.shutdown();
  return isTaken();
}

/** Gates got their span ids before the spans existed. */
class GivenIds {
  readonly #traceId: string;
  spanId = "";

  constructor(traceId: string) {
    this.#traceId = traceId;
  }

  generateTraceId(): string {
    return this.#traceId;
  }

  generateSpanId(): string {
    return this.spanId;
  }
}

function recordSpans(
  { parent, whole, gates, facts }: Traced,
  provider: BasicTracerProvider,
  ids: GivenIds,
): void {
  const tracer = provider.getTracer("agent-gauntlet", packageJson.version);
  ids.spanId = whole.spanId;
  const attributes = { ...attributesOf(facts), "gauntlet.reuse": isReused(gates) };
  const span = tracer.startSpan(
    facts.kind,
    { startTime: whole.startedAt, attributes },
    parentContext(parent),
  );
  for (const { spanId, startedAt, outcome } of gates) {
    ids.spanId = spanId;
    const below = trace.setSpan(ROOT_CONTEXT, span);
    const gate = tracer.startSpan(
      outcome.id,
      { startTime: startedAt, attributes: gateAttributes(outcome) },
      below,
    );
    if (isRed(outcome)) gate.setStatus({ code: SpanStatusCode.ERROR });
    gate.end(startedAt + outcome.durationMs);
  }
  if (facts.status === "error") span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(whole.startedAt + whole.ms);
}

function parentContext({ traceId, spanId, isSampled }: Traced["parent"]): Context {
  if (spanId === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? 1 : 0,
    isRemote: true,
  });
}

function attributesOf(facts: Traced["facts"]) {
  const { session, project, attempt } = facts;
  return {
    ...answerOf(facts),
    "gauntlet.session": session,
    "gauntlet.project": project,
    "gauntlet.attempt": attempt,
  };
}

function answerOf({ door, host, status, decision }: Traced["facts"]) {
  const known = {
    "gauntlet.door": door,
    "gauntlet.host": host,
    "gauntlet.status": status,
    "gauntlet.decision": decision,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

function gateAttributes(outcome: GateOutcome) {
  return {
    "gauntlet.gate": outcome.id,
    "gauntlet.gate.kind": outcome.gate,
    "gauntlet.outcome": outcome.kind,
    "gauntlet.reuse": outcome.kind === "passed" && outcome.reused !== undefined,
  };
}

function isReused(gates: Traced["gates"]): boolean {
  return gates.some(({ outcome }) => outcome.kind === "passed" && outcome.reused !== undefined);
}

/** Each process counts from zero, so it sends increments. */
async function sendMetrics(traced: Traced, resource: Resource, sending: Sending): Promise<boolean> {
  const { leftMs } = sending;
  const exporter = new OTLPMetricExporter({
    timeoutMillis: leftMs,
    temporalityPreference: AggregationTemporality.DELTA,
  });
  const isTaken = watch(exporter);
  const reader = new PeriodicExportingMetricReader({ exporter, exportTimeoutMillis: leftMs });
  const provider = new MeterProvider({ resource, readers: [reader] });
  recordMetrics(traced, provider, sending.dropped);
  await provider.shutdown();
  return isTaken();
}

function recordMetrics({ whole, gates, facts }: Traced, provider: MeterProvider, dropped: number): void {
  const meter = provider.getMeter("agent-gauntlet", packageJson.version);
  const answer = answerOf(facts);
  meter.createCounter("gauntlet.verdicts").add(1, answer);
  meter.createHistogram(`gauntlet.${facts.kind}.duration`, { unit: "s" }).record(whole.ms / 1000, answer);
  const durations = meter.createHistogram("gauntlet.gate.duration", { unit: "s" });
  for (const { outcome } of gates) durations.record(outcome.durationMs / 1000, gateAttributes(outcome));
  if (dropped > 0) meter.createCounter("gauntlet.telemetry.dropped").add(dropped);
}
