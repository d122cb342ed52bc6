import type { BreplOptions } from "../brepl-commands.ts";

export async function breplInstall(_: BreplOptions): Promise<number> {
  return 1;
}
export async function breplUninstall(_: BreplOptions): Promise<number> {
  return 1;
}
