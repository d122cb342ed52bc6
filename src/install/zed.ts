import { join } from "node:path";
import { confirm } from "../report/prompt.ts";
import { EXIT } from "../report/exit-code.ts";
import { printLine, type Terminal } from "../report/terminal.ts";
import { ONLY_ALLOWED_FLAG } from "../hosts/protocol.ts";
import { findOnPath } from "../system/process/executables.ts";
import type { Environment } from "../system/process/environment.ts";
import { readUserFile } from "../system/files/user-file.ts";
import { homeDirectory } from "../system/files/xdg.ts";
import { explain, type Result } from "../trouble.ts";
import type { Finding } from "./diagnose-host.ts";
import { applyEdit, previewChange } from "./files/settings-file.ts";
import {
  type AgentCommand,
  type NewAgent,
  planZedInstall,
  planZedUninstall,
  zedAgents,
} from "./files/zed-settings.ts";
import { chooseHookCommand, isOfOneProject, shellWords } from "./hook-command.ts";
import type { FileChange } from "./hook-registration.ts";
import { installationOf, runningProgram } from "./installation.ts";

/** An editor: it starts agents over ACP, and we come in between. */
export const ZED = { name: "zed", title: "Zed" } as const;

interface Options {
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

/** Agents that speak ACP, by the program that is on the PATH where they are installed (2026-11-19). */
const AGENTS: readonly (NewAgent & { readonly program: string })[] = [
  {
    program: "claude",
    name: "Claude Code",
    command: ["npx", "--yes", "@agentclientprotocol/claude-agent-acp"],
  },
  { program: "codex", name: "Codex", command: ["npx", "--yes", "@agentclientprotocol/codex-acp"] },
  { program: "gemini", name: "Gemini CLI", command: ["gemini", "--acp"] },
  { program: "qwen", name: "Qwen Code", command: ["qwen", "--acp"] },
  { program: "opencode", name: "OpenCode", command: ["opencode", "acp"] },
  { program: "kimi", name: "Kimi Code", command: ["kimi", "acp"] },
  { program: "copilot", name: "Copilot CLI", command: ["copilot", "--acp"] },
  { program: "grok", name: "Grok Build", command: ["grok", "agent", "stdio"] },
];

/** Has Zed start its agents through `agent-gauntlet acp`. Its settings serve every project. */
export async function installZed(terminal: Terminal, options: Options): Promise<number> {
  const { line, note } = chooseHookCommand(installationOf(runningProgram(), terminal), "acp");
  const own = commandIn(`${line} ${ONLY_ALLOWED_FLAG} --`);
  if (isOfOneProject(line) || own === undefined) return refuse(terminal, NOT_FOR_ALL);
  const found = AGENTS.filter(({ program }) => findOnPath(program, terminal.env).length > 0);
  const plan = (text: string | undefined, file: string) => planZedInstall(text, { own, found, file });
  const done = await change(terminal, options, plan, "Zed starts its agents through agent-gauntlet now");
  if (done === "nothing" && found.length === 0) return refuse(terminal, NO_AGENT);
  if (note !== undefined) printLine(terminal.stdout, note);
  if (done !== "failed") printLine(terminal.stdout, ONLY_ALLOWED);
  return done === "failed" ? EXIT.notOk : EXIT.ok;
}

export async function uninstallZed(terminal: Terminal, options: Options): Promise<number> {
  const done = await change(terminal, options, planZedUninstall, "Zed starts its agents by themselves again");
  return done === "failed" ? EXIT.notOk : EXIT.ok;
}

/** What `doctor` says; undefined where there is no Zed. */
export async function examineZed({ env }: Terminal): Promise<readonly Finding[] | undefined> {
  const { path, shown } = settingsFile(env);
  const text = await readUserFile(path);
  if (!text.ok || text.value === undefined) return undefined;
  const agents = zedAgents(text.value);
  const gated = agents.filter(({ isGated }) => isGated).map(({ name }) => name);
  const free = agents.filter(({ isGated }) => !isGated).map(({ name }) => name);
  const install = "`agent-gauntlet install --host zed`";
  const findings: Finding[] = [];
  if (gated.length > 0)
    findings.push({
      check: "registered",
      level: "ok",
      text: `starts ${gated.join(", ")} through agent-gauntlet (${shown})`,
    });
  if (free.length > 0)
    findings.push({
      check: "registered",
      level: "warning",
      text: `starts ${free.join(", ")} without gates. ${install} puts them behind agent-gauntlet`,
    });
  if (agents.length === 0)
    findings.push({
      check: "registered",
      level: "warning",
      text: `no agent of its own settings is gated. ${install} adds those on this machine`,
    });
  return findings;
}

export function isZedGated(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === "ok");
}

const NOT_FOR_ALL =
  "Zed's settings serve every project, and the program that runs now is the copy of one project, or one that npx fetched. Install agent-gauntlet globally first.";
const NO_AGENT =
  "Zed's settings name no agent with a command, and none was found on the PATH. Add yours to `agent_servers` and try again; agents of Zed's registry cannot be gated.";
const ONLY_ALLOWED =
  "The gates of a project run once you have looked at them: `agent-gauntlet allow`, typed there.";

type Plan = (text: string | undefined, file: string) => Result<FileChange>;

async function change(
  terminal: Terminal,
  { dryRun, yes }: Options,
  plan: Plan,
  done: string,
): Promise<"changed" | "nothing" | "failed"> {
  const { path, shown } = settingsFile(terminal.env);
  const before = await readUserFile(path);
  const planned = before.ok ? plan(before.value, shown) : before;
  if (!planned.ok) return failed(terminal, explain(planned.trouble));
  const edit = { path, before: before.ok ? before.value : undefined, change: planned.value };
  terminal.stdout.write(previewChange(shown, edit.before, edit.change));
  if (edit.change.kind === "unchanged" || dryRun) return "nothing";
  if (!yes && !(await confirm(terminal, "Change this file?")))
    return failed(terminal, "Nothing was changed.");
  const applied = await applyEdit(edit);
  if (!applied.ok) return failed(terminal, explain(applied.trouble));
  printLine(terminal.stdout, `✓ ${done} (${shown}).`);
  return "changed";
}

function failed(terminal: Terminal, message: string): "failed" {
  refuse(terminal, message);
  return "failed";
}

function refuse({ stderr }: Terminal, message: string): number {
  printLine(stderr, message);
  return EXIT.notOk;
}

/** As Zed documents it (2026-11-19): on macOS, too, it is `~/.config`. */
function settingsFile(env: Environment): { readonly path: string; readonly shown: string } {
  const { APPDATA: roaming, XDG_CONFIG_HOME: moved } = env;
  if (process.platform === "win32" && roaming !== undefined) {
    const path = join(roaming, "Zed", "settings.json");
    return { path, shown: path };
  }
  const folder = process.platform === "linux" && moved ? moved : join(homeDirectory(env), ".config");
  const path = join(folder, "zed", "settings.json");
  return { path, shown: moved === folder ? path : "~/.config/zed/settings.json" };
}

function commandIn(line: string): AgentCommand | undefined {
  const [program, ...args] = shellWords(line) ?? [];
  return program === undefined ? undefined : [program, ...args];
}
