import { type Terminal, printLine } from "../../report/terminal.ts";
import { cancellation } from "../../system/process/cancellation.ts";
import { serveDashboard } from "./server.ts";
import { DashboardSource } from "./dashboard-source.ts";
import { pageShell } from "./html-report.ts";
import { tellTrouble } from "../../report/open-settings.ts";
import { EXIT } from "../../report/exit-code.ts";

export interface DashboardOptions {
  readonly port?: number;
}

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
