import type { DashboardSource } from "./dashboard-source.ts";
import { type PageShell, htmlPage, policyOf } from "./html-page.ts";
import { type Result, ok, fail } from "../../trouble.ts";
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  type Server,
  type IncomingHttpHeaders,
} from "node:http";
import packageJson from "../../../package.json" with { type: "json" };
import { randomBytes, timingSafeEqual } from "node:crypto";

interface Served extends Disposable {
  /** Contains the token, which gives access until this program ends. */
  readonly url: string;
}

interface Site {
  readonly secrets: Secrets;
  readonly source: DashboardSource;
  readonly live: LiveEvents;
  readonly page: string;
  readonly headers: Readonly<Record<string, string>>;
}

const MOST_CONNECTIONS = 64;

export async function serveDashboard(
  source: DashboardSource,
  shell: PageShell,
  port: number,
): Promise<Result<Served>> {
  const server = createServer({ maxHeaderSize: 8192 });
  server.maxConnections = MOST_CONNECTIONS;
  const listening = await listen(server, port);
  if (!listening.ok) return listening;
  const host = `127.0.0.1:${listening.value}`;
  const secrets = { host, token: secret(), cookieName: `gauntlet-${listening.value}`, cookie: secret() };
  const live = new LiveEvents(source);
  const page = htmlPage(shell, { kind: "dashboard", version: packageJson.version });
  const site = { secrets, source, live, page, headers: securityHeaders(shell) };
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    answer(site, request, response).catch((error: unknown) => {
      if (!response.headersSent) send(response, 500, `Cannot be shown: ${String(error)}`);
      response.end();
    });
  });
  const close = (): void => {
    live[Symbol.dispose]();
    server.close();
    server.closeAllConnections();
  };
  return ok({ url: `http://${host}/?token=${secrets.token}`, [Symbol.dispose]: close });
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}

function listen(server: Server, port: number): Promise<Result<number>> {
  return new Promise((resolve) => {
    server.once("error", ({ code, message }: NodeJS.ErrnoException) => {
      const detail = code === "EADDRINUSE" ? "the port is in use" : message;
      resolve(fail({ kind: "file-failed", action: "listen on", path: `127.0.0.1:${port}`, detail }));
    });
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(ok(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}

function securityHeaders(shell: PageShell): Readonly<Record<string, string>> {
  return {
    "Content-Security-Policy": `${policyOf(shell, "'self'")}; frame-ancestors 'none'`,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
  };
}

async function answer(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { secrets, headers } = site;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const [asked, base] = [request.url ?? "/", `http://${secrets.host}`];
  if (!URL.canParse(asked, base)) return send(response, 404, "There is no such page.");
  const url = new URL(asked, base);
  const admission = admit({ method: request.method, url, headers: request.headers }, secrets);
  switch (admission.kind) {
    case "refused":
      return send(response, admission.status, admission.words);
    case "exchange":
      response.setHeader(
        "Set-Cookie",
        `${secrets.cookieName}=${secrets.cookie}; HttpOnly; SameSite=Strict; Path=/`,
      );
      response.setHeader("Location", "/");
      return send(response, 303, "");
    case "admitted":
      return await show(site, url.pathname, response);
  }
}

async function show({ source, live, page }: Site, path: string, response: ServerResponse): Promise<void> {
  if (path === "/") {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    return send(response, 200, page);
  }
  if (path === "/api/events") return await live.add(response);
  const [, key = "", at = ""] = /^\/api\/run\/([\w-]{1,64})\/(\d{1,16})$/.exec(path) ?? [];
  const run = at === "" ? undefined : await source.run(key, Number(at));
  if (run !== undefined) {
    response.setHeader("Content-Type", "application/json");
    return send(response, 200, JSON.stringify(run));
  }
  return send(
    response,
    404,
    at === "" ? "There is no such page." : "This run has left no logs that are known here.",
  );
}

function send(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  if (!response.hasHeader("Content-Type")) response.setHeader("Content-Type", "text/plain; charset=utf-8");
  response.end(text);
}

interface Secrets {
  readonly host: string;
  readonly token: string;
  readonly cookieName: string;
  readonly cookie: string;
}

interface Asked {
  readonly method: string | undefined;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
}

type Admission =
  | { readonly kind: "admitted" }
  /** The token was right: the browser gets the cookie, and an address without the token. */
  | { readonly kind: "exchange" }
  | { readonly kind: "refused"; readonly status: 403 | 405; readonly words: string };

/**
 * Decides about a request. The host's name is checked against pages that let their own name lead to this machine, the origin against pages
 * that ask from elsewhere; and nothing can be changed here, so only reading is allowed.
 */
function admit({ method, url, headers }: Asked, secrets: Secrets): Admission {
  if (headers.host !== secrets.host) return refused("This address is not the dashboard's.");
  if (method !== "GET" && method !== "HEAD")
    return { kind: "refused", status: 405, words: "The dashboard can only be read." };
  const { origin, "sec-fetch-site": site = "none" } = headers;
  const isElsewhere = origin !== undefined && origin !== `http://${secrets.host}`;
  if (isElsewhere || (site !== "none" && site !== "same-origin"))
    return refused("Another page asks for this. Type the address of the dashboard, or paste it.");
  const token = url.searchParams.get("token");
  if (token !== null) return isSame(token, secrets.token) ? { kind: "exchange" } : refused(ASK_FOR_ADDRESS);
  const given = cookieIn(headers.cookie ?? "", secrets.cookieName);
  return given !== undefined && isSame(given, secrets.cookie)
    ? { kind: "admitted" }
    : refused(ASK_FOR_ADDRESS);
}

const ASK_FOR_ADDRESS = "Open the whole address that `agent-gauntlet dashboard` printed.";

function refused(words: string): Admission {
  return { kind: "refused", status: 403, words };
}

function cookieIn(header: string, name: string): string | undefined {
  const parts = header.split(";").map((part) => part.trim());
  return parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
}

function isSame(given: string, known: string): boolean {
  const one = Buffer.from(given);
  const other = Buffer.from(known);
  return one.length === other.length && timingSafeEqual(one, other);
}

const LOOK_AGAIN_MS = 1_000;
/** A browser that takes nothing any more, such as one that was put to sleep, connects again later. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;

/** Sends browsers what happens, as server-sent events. Looks only while somebody is connected. */
class LiveEvents implements Disposable {
  readonly #source: DashboardSource;
  readonly #open = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  constructor(source: DashboardSource) {
    this.#source = source;
  }

  /** Everything first, then what happens. */
  async add(response: ServerResponse): Promise<void> {
    response.setHeader("Content-Type", "text/event-stream");
    response.flushHeaders();
    response.on("close", () => this.#open.delete(response));
    await this.#look(); // or those who are connected would miss what the newcomer is shown
    write(response, "state", await this.#source.state());
    if (response.destroyed) return; // it left while we looked
    this.#open.add(response);
    this.#timer ??= setTimeout(() => void this.#tick(), LOOK_AGAIN_MS);
  }

  async #tick(): Promise<void> {
    await this.#look();
    this.#timer = this.#open.size === 0 ? undefined : setTimeout(() => void this.#tick(), LOOK_AGAIN_MS);
  }

  async #look(): Promise<void> {
    if (this.#open.size === 0) return;
    const changes = await this.#source.changes();
    if (changes === undefined) return;
    for (const response of this.#open) {
      if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
      else write(response, "projects" in changes ? "state" : "change", changes);
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const response of this.#open) response.end();
    this.#open.clear();
  }
}

function write(response: ServerResponse, event: "state" | "change", data: object): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
