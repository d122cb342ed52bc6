import { type BigIntStats, statSync } from "node:fs";
import { now } from "../clock.ts";

export interface FileStamp {
  readonly path: string;
  readonly stamp: string;
  readonly changedAt: number;
}

export function stampOf(path: string): FileStamp {
  const stat = look(path);
  if (stat === undefined) return { path, stamp: "missing", changedAt: 0 };
  const { mtimeNs, ctimeNs, size, ino, dev, mode } = stat;
  const changedAt = Math.max(Number(stat.mtimeMs), Number(stat.ctimeMs));
  return { path, stamp: [mtimeNs, ctimeNs, size, ino, dev, mode].join(":"), changedAt };
}

export function isAsStamped({ path, stamp }: Pick<FileStamp, "path" | "stamp">): boolean {
  return stampOf(path).stamp === stamp;
}

/** FAT ticks every two seconds: a second change within one tick cannot be seen. */
const TICK_MS = 2_000;

export function areSettled(stamps: readonly FileStamp[]): boolean {
  const newest = now() - TICK_MS;
  return stamps.every(({ changedAt }) => changedAt < newest);
}

function look(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
