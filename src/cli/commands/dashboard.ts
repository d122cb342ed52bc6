import { DashboardSource } from "../../engine/pages/dashboard-source.ts";
import { cancellation } from "../cancellation.ts";
import { serveDashboard } from "../dashboard/serve.ts";
import { EXIT } from "../exit-code.ts";
import { pageShell } from "../output/html-report.ts";
import { tellTrouble } from "../open-settings.ts";
import { printLine, type Terminal } from "../output/terminal.ts";

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
