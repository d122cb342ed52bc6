import type { Environment } from "../../system/process/environment.ts";
import type { RunTrace } from "./trace-stop.ts";

export async function startTrace(env: Environment): Promise<RunTrace | undefined> {
  if (!env["OTEL_EXPORTER_OTLP_ENDPOINT"] || env["OTEL_SDK_DISABLED"] === "true") return undefined;
  const { RunTrace: Trace } = await import("./trace-stop.ts"); // few have a collector
  return new Trace(env);
}
