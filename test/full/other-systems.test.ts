import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tempDir } from "../rig/temp-dir.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const ARM_LIBRARIES = "/usr/aarch64-linux-gnu";
const MUSL = "/lib/ld-musl-x86_64.so.1";
const LIBRARIES = "/usr/lib/x86_64-linux-gnu";

/** What glibc's libstdc++ asks of the C library and musl does not have; Alpine's own libstdc++ is not in Debian. */
const SHIM = `#include <stddef.h>
#include <sys/random.h>
#include <time.h>
char __libc_single_threaded = 0;
struct { unsigned v[4]; } __cpu_model;
int __cpu_indicator_init(void) { return 0; }
unsigned arc4random(void) { unsigned n = 0; getrandom(&n, sizeof n, 0); return n; }
size_t __strftime_l(char *s, size_t m, const char *f, const struct tm *t, void *l) { return strftime(s, m, f, t); }
int __cxa_thread_atexit_impl(void (*f)(void *), void *a, void *d) { return 0; }
int _dl_find_object(void *a, void *r) { return -1; }
`;

const isHere = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;
const isX64 = process.platform === "linux" && process.arch === "x64";

let out: (AsyncDisposable & { readonly path: string }) | undefined;

beforeAll(async () => {
  out = await tempDir();
  const args = ["scripts/build-native.mjs", "--all", "--compile-only", `--out=${out.path}`];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: "ignore" });
  return () => out?.[Symbol.asyncDispose]();
}, 600_000);

function smoke(...program: readonly string[]): string {
  const args = [join(ROOT, "scripts/smoke-stop.mjs"), ...program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return stdout + stderr;
}

test("linux-arm64 blocks, sees the fix and allows, under qemu", ({ skip }) => {
  if (!isX64 || !isHere("qemu-aarch64") || !existsSync(ARM_LIBRARIES))
    return skip("needs x64 Linux with apt-get install qemu-user libc6-arm64-cross");

  expect(smoke("qemu-aarch64", "-L", ARM_LIBRARIES, programFor("linux-arm64"))).toBe(
    "ok: blocked, fixed, allowed\n",
  );
});

test("linux-x64-musl blocks, sees the fix and allows, with Debian's musl", async ({ skip }) => {
  if (!isX64 || !existsSync(MUSL) || !isHere("gcc"))
    return skip("needs x64 Linux with apt-get install musl gcc");
  await using dir = await tempDir();
  const libraries = join(dir.path, "lib");
  mkdirSync(libraries);
  for (const name of ["libstdc++.so.6", "libgcc_s.so.1"])
    symlinkSync(join(LIBRARIES, name), join(libraries, name));
  symlinkSync(MUSL, join(libraries, "ld-linux-x86-64.so.2"));
  await writeFile(join(dir.path, "shim.c"), SHIM);
  execFileSync("gcc", ["-shared", "-fPIC", "-nostdlib", "-o", "shim.so", "shim.c"], { cwd: dir.path });
  const start = join(dir.path, "start");
  const env = `LD_PRELOAD=${join(dir.path, "shim.so")} LD_LIBRARY_PATH=${libraries}`;
  await writeFile(start, `#!/bin/sh\nexec env ${env} ${programFor("linux-x64-musl")} "$@"\n`, {
    mode: 0o755,
  });

  expect(smoke(start)).toBe("ok: blocked, fixed, allowed\n");
});

function programFor(platform: string): string {
  return join(out?.path ?? "", "native", platform, "agent-gauntlet");
}
