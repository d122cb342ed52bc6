import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { tempDir } from "./temp-dir.ts";

const execute = promisify(execFile);

/** Why this machine has no such program, after trying to install its Debian package; undefined when it is there. */
export async function whyNoProgram(program: string, debianPackage: string): Promise<string | undefined> {
  if (await isInstalled(program)) return undefined;
  if (process.getuid?.() !== 0) return `${program} is not installed, and only root can install it`;
  const args = ["install", "--yes", "--no-install-recommends", debianPackage];
  const failed = await execute("apt-get", args).then(
    () => undefined,
    (error: unknown) => String(error).split("\n")[0],
  );
  return (await isInstalled(program)) ? undefined : `${program} cannot be installed: ${failed}`;
}

async function isInstalled(program: string): Promise<boolean> {
  const places = `${process.env["PATH"]}:/usr/sbin:/usr/local/sbin`.split(":");
  return places.some((place) => existsSync(join(place, program)));
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  server.close();
  await once(server, "close");
  return port;
}

/** Takes connections and never says a word. */
export async function muteServer(): Promise<Disposable & { readonly port: number }> {
  const sockets = new Set<{ destroy: () => void }>();
  const server = createServer((socket) => sockets.add(socket.on("error", () => {}))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    port,
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

export interface Server extends AsyncDisposable {
  readonly port: number;
  /** Where it keeps its files. */
  readonly directory: string;
  readonly process: ChildProcess;
}

/**
 * A real nginx with DAV: `/ac/` keeps what is PUT there, `/closed/` may only be read, `/broken/` answers with 503, `/slow/` never
 * answers, `/locked/` wants a password.
 */
export async function startNginx(mutePort: number): Promise<Server> {
  const dir = await tempDir();
  const port = await freePort();
  await mkdir(join(dir.path, "store/ac"), { recursive: true });
  const store = join(dir.path, "store");
  await writeFile(join(dir.path, "passwords"), "agent:{PLAIN}open-sesame\n");
  await writeFile(
    join(dir.path, "nginx.conf"),
    `user root; daemon off; worker_processes 1; pid ${dir.path}/pid; error_log ${dir.path}/error.log;
events { worker_connections 256; }
http {
  access_log ${dir.path}/access.log; client_body_temp_path ${dir.path}/body;
  proxy_temp_path ${dir.path}/p; fastcgi_temp_path ${dir.path}/f; uwsgi_temp_path ${dir.path}/u; scgi_temp_path ${dir.path}/s;
  server {
    listen 127.0.0.1:${port}; root ${store};
    location /ac/ { dav_methods PUT; create_full_put_path on; }
    location /closed/ { alias ${store}/ac/; }
    location /broken/ { return 503; }
    location /slow/ { proxy_pass http://127.0.0.1:${mutePort}; }
    location /locked/ {
      alias ${store}/ac/; dav_methods PUT; auth_basic cache; auth_basic_user_file ${dir.path}/passwords;
    }
  }
}
`,
  );
  const process = spawn("/usr/sbin/nginx", ["-p", dir.path, "-c", join(dir.path, "nginx.conf")], {
    stdio: "ignore",
  });
  return started(process, port, dir);
}

/** A real Redis in its own directory, from which it recovers when started again on the same port. */
export async function startRedis(
  options: { readonly port?: number; readonly directory?: string; readonly password?: string } = {},
): Promise<Server> {
  const dir =
    options.directory === undefined
      ? await tempDir()
      : { path: options.directory, [Symbol.asyncDispose]: () => Promise.resolve() };
  const port = options.port ?? (await freePort());
  const auth = options.password === undefined ? [] : ["--requirepass", options.password];
  const keep = ["--dir", dir.path, "--appendonly", "yes", "--save", ""];
  const process = spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", ...keep, ...auth], {
    stdio: "ignore",
  });
  return started(process, port, dir);
}

async function started(
  child: ChildProcess,
  port: number,
  dir: AsyncDisposable & { readonly path: string },
): Promise<Server> {
  await untilListening(child, port);
  return {
    port,
    directory: dir.path,
    process: child,
    [Symbol.asyncDispose]: async () => {
      const isOver = child.exitCode !== null || child.signalCode !== null;
      const ended = isOver ? undefined : once(child, "exit");
      child.kill();
      await ended;
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function untilListening(process: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (process.exitCode !== null) throw new Error(`${process.spawnfile} ended with ${process.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    const isOpen = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
