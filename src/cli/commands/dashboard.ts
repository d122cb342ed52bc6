import { DashboardSource } from "../../engine/pages/dashboard-source.ts";
import { cancellation } from "../cancellation.ts";
import { EXIT } from "../exit-code.ts";
import { pageShell } from "../output/html-report.ts";
import { tellTrouble } from "../open-settings.ts";
import { printLine, type Terminal } from "../output/terminal.ts";
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import packageJson from "../../../package.json" with { type: "json" };
import { fail, ok, type Result } from "../../core/trouble.ts";
import { htmlPage, type PageShell, policyOf } from "../../report/page/html-page.ts";
import { admit, type Secrets } from "../dashboard/admission.ts";
import { LiveEvents } from "../dashboard/live-events.ts";

export interface DashboardOptions {
  readonly port?: number;
}

/** Serves a page over every verdict of all projects, until it is ended. Its address is the one line on stdout. */
export async function dashboardCommand(terminal: Terminal, { port = 0 }: DashboardOptions): Promise<number> {
  using cancel = cancellation();
  const served = await serveDashboard(new DashboardSource(terminal.env), await pageShell(), port);
  if (!served.ok) return tellTrouble(terminal, served.trouble, { command: "dashboard" });
  using _server = served.value;
  printLine(terminal.stdout, served.value.url);
  printLine(terminal.stderr, "Open this address in a browser on this machine. Ctrl-C ends the dashboard.");
  await new Promise<void>((resolve) =>
    cancel.signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  return EXIT.ok;
}

export interface Served extends Disposable {
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

/** Serves the dashboard to this machine only. */
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
