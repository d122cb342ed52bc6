import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { onAbort } from "../../../src/system/process/time-limit.ts";

function listenersOf(signal: AbortSignal): number {
  return getEventListeners(signal, "abort").length;
}

test("one listener tells everybody who still waits", () => {
  const controller = new AbortController();
  const told: string[] = [];
  onAbort(controller.signal, () => told.push("first"));
  const ignore = onAbort(controller.signal, () => told.push("gone"));
  onAbort(controller.signal, () => told.push("last"));
  ignore();

  const listeners = listenersOf(controller.signal);
  controller.abort();

  expect(listeners).toBe(1);
  expect(told).toEqual(["first", "last"]);
});

test("nothing listens once no one waits, and waiting again works", () => {
  const controller = new AbortController();
  const told: string[] = [];
  const ignores = [onAbort(controller.signal, () => {}), onAbort(controller.signal, () => {})];
  for (const ignore of ignores) ignore();
  const listeners = listenersOf(controller.signal);

  onAbort(controller.signal, () => told.push("again"));
  for (const ignore of ignores) ignore();
  controller.abort();

  expect(listeners).toBe(0);
  expect(told).toEqual(["again"]);
});
