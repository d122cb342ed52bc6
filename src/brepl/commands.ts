import { parseArgs } from "node:util";
import packageJson from "../../package.json" with { type: "json" };
import { parsePort } from "../system/nrepl/find-server.ts";
import { EXIT } from "../report/exit-code.ts";
import type { BreplOptions } from "./options.ts";
import { breplSessionEnd, breplStop } from "./stop-hook.ts";

/** The whole command table. No library parses it: `hook stop` must answer at once. */
export async function runBrepl(argv: readonly string[], program: string): Promise<number> {
  const parsed = parseFlags(argv);
  if ("problem" in parsed) return complain(parsed.problem, program);
  const { flags, words } = parsed;
  const [group = "help", command = "help"] = words;
  if (flags.version) return print(`${packageJson.version}\n`, EXIT.ok);
  if (flags.help || group === "help") return print(help(program), EXIT.ok);
  if (group !== "hook" && group !== "hooks") return refuse(group, program);
  const port = parsePort(flags.port ?? "");
  if (flags.port !== undefined && port === undefined) return complain(`invalid port: ${flags.port}`, program);
  return runHookCommand(command, { program, replServer: { port, host: flags.host } });
}

/** Hosts ask for stops; people install once. */
const loadInstall = () => import("./install-command.ts");

async function runHookCommand(command: string, options: BreplOptions): Promise<number> {
  switch (command) {
    case "stop":
      return breplStop(options);
    case "session-end":
      return breplSessionEnd();
    case "install":
      return (await loadInstall()).breplInstall(options);
    case "uninstall":
      return (await loadInstall()).breplUninstall(options);
    case "help":
      return print(help(options.program), EXIT.ok);
    default:
      return refuse(`hook ${command}`, options.program);
  }
}

const FLAGS = {
  port: { type: "string", short: "p" },
  host: { type: "string", short: "h" },
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

type Flags = ReturnType<typeof parseArgs<{ options: typeof FLAGS }>>["values"];

function parseFlags(
  argv: readonly string[],
): { readonly flags: Flags; readonly words: readonly string[] } | { readonly problem: string } {
  if (!argv.some((word) => word.startsWith("-"))) return { flags: {}, words: argv }; // as a host calls us
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: FLAGS,
      allowPositionals: true,
    });
    return { flags: values, words: positionals };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function complain(problem: string, program: string): number {
  process.stderr.write(`${problem}\nRun \`${program} --help\` for the options.\n`);
  return EXIT.notOk;
}

function refuse(words: string, program: string): number {
  process.stderr.write(`There is no command \`${program} ${words}\`.\n`);
  return print(help(program), EXIT.notOk);
}

function print(text: string, exitCode: number): number {
  process.stdout.write(text);
  return exitCode;
}

function help(program: string): string {
  return `Usage: ${program} hook <command> [options]

Runs the hooks of .brepl/hooks.edn when a coding agent wants to stop.

Commands:
  hook install       write a template .brepl/hooks.edn and register the hooks in .claude/settings.local.json
  hook uninstall     take our hooks out of .claude/settings.local.json
  hook stop          run the hooks; reads the Stop event from stdin (0: allowed, 1: allowed with a report, 2: blocked)
  hook session-end   forget the session; reads the SessionEnd event from stdin

Options:
  -p, --port <port>  nREPL port (otherwise .nrepl-port here, then BREPL_PORT)
  -h, --host <host>  nREPL host (otherwise BREPL_HOST, then localhost)
      --help         show this
      --version      show the version
`;
}
