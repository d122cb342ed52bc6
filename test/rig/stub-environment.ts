import { onTestFinished, vi } from "vitest";
import { cleanEnv } from "./gauntlet-project.ts";

/** For the rest of a test, this process has the environment that the rigs give to children. */
export function stubEnvironment(home: string): void {
  const clean: Record<string, string | undefined> = cleanEnv(home);
  for (const name of new Set([...Object.keys(process.env), ...Object.keys(clean)]))
    vi.stubEnv(name, clean[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
}
