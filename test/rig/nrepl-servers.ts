import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { tempDir } from "./temp-dir.ts";

/** A real nREPL server in its own directory, where it has left its `.nrepl-port`. */
export interface RunningServer extends AsyncDisposable {
  readonly port: number;
  readonly dir: string;
}

/** `nbb nrepl-server`: ClojureScript on Node. */
export function startNbb(): Promise<RunningServer> {
  return start([process.execPath, resolve("node_modules/nbb/cli.js"), "nrepl-server", ":port", "0"]);
}

const JARS = ["clojure", "nrepl", "core.specs.alpha", "spec.alpha"].map(
  (name) => `/usr/share/java/${name}.jar`,
);

/** JVM Clojure with the nREPL of Debian's packages. */
export function startJvm(): Promise<RunningServer> {
  const options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"];
  const main = ["clojure.main", "-m", "nrepl.cmdline", "--bind", "127.0.0.1"];
  return start([
    "java",
    ...options,
    "-cp",
    [".", ...JARS.filter((jar) => existsSync(jar))].join(":"),
    ...main,
  ]);
}

/** Why there is no JVM server on this machine; nothing when there is one. */
export function jvmMissing(): string | undefined {
  const java = process.env["PATH"]?.split(":").some((dir) => existsSync(`${dir}/java`)) === true;
  const missing = JARS.slice(0, 2).filter((jar) => !existsSync(jar));
  if (!java) return "no java on PATH (Debian: apt-get install clojure libnrepl-clojure)";
  return missing.length > 0
    ? `${missing.join(", ")} not there (Debian: clojure, libnrepl-clojure)`
    : undefined;
}

async function start([file = "", ...args]: readonly string[]): Promise<RunningServer> {
  const dir = await tempDir("brepl-nrepl-");
  const child = spawn(file, args, { cwd: dir.path, stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const port = await new Promise<number>((found, failed) => {
    let printed = "";
    const read = (chunk: Buffer): void => {
      printed += chunk.toString();
      const match = /started on port (\d+)/.exec(printed);
      if (match) found(Number(match[1]));
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void exited.then(() => failed(new Error(`${file} ended: ${printed}`)));
  });
  return {
    port,
    dir: dir.path,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
      await dir[Symbol.asyncDispose]();
    },
  };
}
