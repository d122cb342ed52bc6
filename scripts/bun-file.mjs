import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The executable in the package of this platform; Bun's install script, where it ran, has moved it into the package `bun`. */
export function bunFile() {
  const require = createRequire(import.meta.url);
  const home = dirname(require.resolve("bun/package.json"));
  const { optionalDependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const suffix = process.platform === "win32" ? ".exe" : "";
  const candidates = Object.keys(optionalDependencies).map((name) =>
    join(home, "..", name, "bin", `bun${suffix}`),
  );
  return candidates.find((file) => existsSync(file)) ?? join(home, "bin", "bun.exe");
}
