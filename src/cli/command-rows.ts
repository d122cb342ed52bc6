import type { Option } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import type { AcpOptions } from "../features/acp/command.ts";
import type { AuditOptions } from "../features/audit/command.ts";
import type { BaselineOptions } from "../features/baseline/command.ts";
import type { DashboardOptions } from "../features/dashboard/command.ts";
import type { McpOptions } from "../features/mcp/command.ts";
import type { AttestOptions, VerifyOptions } from "../features/proof/attest-command.ts";
import type { CiOptions } from "../features/proof/ci-command.ts";
import type { KeysOptions } from "../features/remote/keys-command.ts";
import type { WorkerCommandOptions } from "../features/remote/worker-command.ts";
import type { AllowOptions } from "../features/trust/allow-command.ts";
import type { SkipOptions } from "../features/trust/skip-command.ts";
import { HOSTS } from "../hosts/host-table.ts";
import type { DoctorOptions } from "../install/commands/doctor.ts";
import type { HealthOptions } from "../install/commands/health.ts";
import type { InitOptions } from "../install/commands/init.ts";
import type { InstallOptions } from "../install/commands/install.ts";
import type { SimulateOptions } from "../install/commands/simulate.ts";
import type { UninstallOptions } from "../install/commands/uninstall.ts";
import { GIT_HOOK_NAMES } from "../install/git-hook.ts";
import type { Terminal } from "../report/terminal.ts";
import type { SessionName } from "../system/state/state-keys.ts";
import { programFile } from "../system/process/runtime.ts";
import {
  collect,
  option,
  readCount,
  readMoment,
  readPort,
  readReason,
  readReportTargets,
  readWhile,
} from "./command-options.ts";
import { loadLook } from "./load-look.ts";
import type { CleanOptions } from "./commands/clean.ts";
import type { CompletionOptions } from "./commands/completion.ts";
import type { ConfigOptions, ListOptions, ValidateOptions } from "./commands/configuration.ts";
import type { ExplainOptions } from "./commands/explain.ts";
import type { LogOptions } from "./commands/log.ts";
import type { ParseOptions } from "./commands/parse.ts";
import type { ReportOptions } from "./commands/report.ts";
import type { DetectOptions, RunOptions } from "./commands/run.ts";
import type { StatusOptions } from "./commands/status.ts";

export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  /** `first`: in the short overview, too. `hidden`: in none, because agents call it or it has another name now. */
  readonly shown?: "first" | "hidden";
  readonly arguments?: readonly ArgumentRow[];
  readonly options?: readonly Option[];
  readonly examples?: readonly string[];
  /** Gets the words of the arguments, then the options; returns the exit code. Without it the entry answers the command itself. */
  readonly run?: (terminal: Terminal, ...asked: never[]) => Promise<number>;
}

interface ArgumentRow {
  /** `<name>` is required, `[name]` is not. */
  readonly name: string;
  readonly summary: string;
  readonly choices?: readonly string[];
}

/** What a command does is loaded when it is asked for, a family at a time. */
const families = {
  run: () => import("./commands/run.ts"),
  look: loadLook,
  install: () => import("../install/commands.ts"),
  init: () => import("../install/commands/init.ts"), // with its prompts, which no other command needs
  audit: () => import("../features/audit/command.ts"),
  baseline: () => import("../features/baseline/command.ts"),
  dashboard: () => import("../features/dashboard/command.ts"),
  acp: () => import("../features/acp/command.ts"),
  mcp: () => import("../features/mcp/command.ts"),
  proof: () => import("../features/proof/commands.ts"),
  remote: () => import("../features/remote/commands.ts"),
  sessionHooks: () => import("./hooks/session-hooks.ts"),
  trust: () => import("../features/trust/commands.ts"),
};

async function runAll(terminal: Terminal): Promise<number> {
  return (await families.run()).runCommand(terminal, {});
}

const HOST_NAMES = HOSTS.filter((host) => host.registration !== undefined)
  .map((host) => host.name)
  .join(", ");

const CHOICE_OPTIONS = [
  option("-g, --gate <name>", "only this gate, or those of a path or glob (may be given several times)", {
    read: collect,
  }),
  option("--skip <name>", "leave this gate out (may be given several times)", { read: collect }),
  option("--all", "every check, whatever has changed"),
  option("--failed", "only the gates that failed in the last run", { conflicts: "all" }),
];

const CHANGE_OPTIONS = [
  option("-b, --base <revision>", "compare with this branch or commit", {
    conflicts: ["commit", "uncommitted"],
  }),
  option("-c, --commit <revision>", "look only at what this commit changed", { conflicts: "uncommitted" }),
  option("--staged", "look only at what the next commit holds", {
    conflicts: ["base", "commit", "uncommitted"],
  }),
  option("-u, --uncommitted", "look only at what is not committed"),
];

const NAMED_GATES = [{ name: "[gates...]", summary: "the same as -g" }];

/** `run lint test` means `run -g lint -g test`. */
function withGates<T extends { readonly gate?: readonly string[] }>(options: T, gates: readonly string[]): T {
  return gates.length === 0 ? options : { ...options, gate: [...(options.gate ?? []), ...gates] };
}

const RUN_OPTIONS = [
  ...CHOICE_OPTIONS,
  ...CHANGE_OPTIONS,
  option("--only-new", "let checks block only for problems that were not there before", {
    conflicts: "allProblems",
  }),
  option("--all-problems", "count every problem, also with `only_new` or a committed baseline"),
  option("--no-cache", "also run checks that passed before with the same `inputs`"),
  option("--no-guards", "leave out the guards"),
  option("--no-fix", "do not run the `fix` of a check that fails"),
  option("-q, --quiet", "print only failures and the status"),
  option("-v, --verbose", "also print what changed and why gates are skipped"),
  option("--json", "print the result as JSON on stdout"),
  option("--watch", "run again whenever files change, until q is pressed", {
    conflicts: ["json", "commit", "staged"],
  }),
  option(
    "--report <list>",
    "also write html=PATH, junit=PATH, sarif=PATH, json=PATH, github (automatic in GitHub Actions)",
    { read: readReportTargets },
  ),
];

const INSTALL_OPTIONS = [
  option("--host <name>", `an agent or zed, may be given several times: ${HOST_NAMES}`, {
    read: collect,
  }),
  option("--project", "in this project (the default)"),
  option("--shared", "in the settings file the team commits, with a command that works on every machine"),
  option("--user", "in your home directory, for every project"),
  option("--dry-run", "only show what would change"),
  option("-y, --yes", "do not ask"),
];

const SET_UP: readonly CommandRow[] = [
  {
    name: "init",
    shown: "first",
    summary: "write .gauntlet/config.yml with this project's checks, and install the stop hook",
    options: [
      option("-y, --yes", "ask nothing; the hook is installed only with --hook"),
      option("--hook", "install the Claude Code stop hook without asking"),
      option("--no-hook", "do not install it, do not ask"),
      option("--here", "in this directory, even if it is not the root of the repository"),
      option("--try", "run each check once, and again with errors planted in a copy: does it find them?"),
      option("--dry-run", "show what would be written"),
    ],
    examples: [
      "agent-gauntlet init",
      "agent-gauntlet init --yes --hook --try",
      "agent-gauntlet init --dry-run",
    ],
    run: async (terminal, options: InitOptions) =>
      (await families.init()).initCommand(terminal, {
        ...options,
        script: programFile(),
        version: packageJson.version,
      }),
  },
  {
    name: "install",
    shown: "first",
    summary: "register the stop hook with the agents you use",
    options: [
      ...INSTALL_OPTIONS,
      option("--all-detected", "every agent found on this machine"),
      option(
        "--git-hook [name]",
        "be part of a git hook instead: pre-push (the default) verifies every push, pre-commit runs the gates on what is staged",
        { choices: GIT_HOOK_NAMES },
      ),
    ],
    examples: [
      "agent-gauntlet install --host claude-code",
      "agent-gauntlet install --all-detected --dry-run",
      "agent-gauntlet install --git-hook",
      "agent-gauntlet install --git-hook pre-commit",
      "agent-gauntlet install --host claude-code --shared",
    ],
    run: async (terminal, options: InstallOptions) =>
      (await families.install()).installCommand(terminal, options),
  },
  {
    name: "uninstall",
    summary: "remove the stop hook",
    options: [
      ...INSTALL_OPTIONS,
      option(
        "--git-hook [name]",
        "remove our lines from this repository's git hooks instead: pre-push, pre-commit, or both",
        { choices: GIT_HOOK_NAMES },
      ),
    ],
    examples: [
      "agent-gauntlet uninstall",
      "agent-gauntlet uninstall --host codex --user",
      "agent-gauntlet uninstall --git-hook",
    ],
    run: async (terminal, options: UninstallOptions) =>
      (await families.install()).uninstallCommand(terminal, options),
  },
];

const RUN: readonly CommandRow[] = [
  {
    name: "run",
    shown: "first",
    summary: "run every gate affected by the changes",
    arguments: NAMED_GATES,
    options: RUN_OPTIONS,
    examples: [
      "agent-gauntlet run",
      "agent-gauntlet run lint test",
      "agent-gauntlet run -g 'packages/*' --skip e2e",
      "agent-gauntlet run --failed",
      "agent-gauntlet run --watch",
      "agent-gauntlet run --json | jq .status",
      "agent-gauntlet run --report junit=reports/gauntlet.xml,sarif=reports/gauntlet.sarif",
    ],
    run: async (terminal, gates: readonly string[], options: RunOptions) =>
      (await families.run()).runCommand(terminal, withGates(options, gates)),
  },
  {
    name: "check",
    summary: "run only the checks",
    arguments: NAMED_GATES,
    options: RUN_OPTIONS,
    examples: ["agent-gauntlet check --uncommitted"],
    run: async (terminal, gates: readonly string[], options: RunOptions) =>
      (await families.run()).runCommand(terminal, { ...withGates(options, gates), kind: "check" }),
  },
  {
    name: "review",
    summary: "run only the AI reviews",
    arguments: NAMED_GATES,
    options: RUN_OPTIONS,
    examples: ["agent-gauntlet review", "agent-gauntlet review -g security --commit HEAD"],
    run: async (terminal, gates: readonly string[], options: RunOptions) =>
      (await families.run()).runCommand(terminal, { ...withGates(options, gates), kind: "review" }),
  },
  {
    name: "baseline",
    summary: "record the existing problems, so that only new ones block",
    options: [
      option("--prune", "only remove what is fixed; needs no terminal"),
      option("--json", "print the result as JSON; the file can then only shrink"),
    ],
    examples: ["agent-gauntlet baseline", "agent-gauntlet baseline --prune"],
    run: async (terminal, options: BaselineOptions) =>
      (await families.baseline()).baselineCommand(terminal, options),
  },
];

const LOOK: readonly CommandRow[] = [
  {
    name: "detect",
    shown: "first",
    summary: "show what changed and which gates that affects",
    options: [
      ...CHOICE_OPTIONS,
      ...CHANGE_OPTIONS,
      option("--why", "also show the gates that are skipped, and why, and which changed files are protected"),
      option("--json", "print the plan as JSON"),
    ],
    examples: [
      "agent-gauntlet detect --why",
      "agent-gauntlet detect --failed",
      "agent-gauntlet detect --base origin/release --json",
    ],
    run: async (terminal, options: DetectOptions) => (await families.run()).detectCommand(terminal, options),
  },
  {
    name: "list",
    summary: "show the entry points and their gates",
    options: [option("--names", "print only the names of the gates"), option("--json", "print them as JSON")],
    run: async (terminal, options: ListOptions) => (await families.look()).listCommand(terminal, options),
  },
  {
    name: "status",
    shown: "first",
    summary: "show the last run, open failures and attempts left",
    options: [
      option("--short", "print one short line, for tmux or a prompt", { conflicts: "json" }),
      option("--json", "print it as JSON"),
    ],
    run: async (terminal, options: StatusOptions) => {
      const { statusCommand } = await families.look();
      const describeWorkTree: StatusOptions["describeWorkTree"] = async (place) =>
        (await families.proof()).describeWorkTree(place);
      return statusCommand(terminal, { ...options, describeWorkTree });
    },
  },
  {
    name: "report",
    shown: "first",
    summary: "show the last run again, without running anything",
    options: [
      option("--run <n>", "an earlier run, by its number", { read: readCount }),
      option("--format <name>", "how to show it", {
        choices: ["text", "junit", "sarif", "github", "html"],
        default: "text",
      }),
    ],
    examples: [
      "agent-gauntlet report",
      "agent-gauntlet report --run 3",
      "agent-gauntlet report --format html > report.html",
      "agent-gauntlet report --format sarif > gauntlet.sarif",
    ],
    run: async (terminal, options: ReportOptions) => (await families.look()).reportCommand(terminal, options),
  },
  {
    name: "config",
    summary: "show effective settings and their source",
    options: [option("--json", "print them as JSON")],
    run: async (terminal, options: ConfigOptions) => (await families.look()).configCommand(terminal, options),
  },
  {
    name: "validate",
    shown: "first",
    summary: "check every configuration file",
    options: [option("--json", "print the problems as JSON")],
    run: async (terminal, options: ValidateOptions) =>
      (await families.look()).validateCommand(terminal, options),
  },
  {
    name: "parse",
    summary: "show which problems are found in a log on stdin, and what an agent would get",
    options: [
      option("--parser <name>", "a parser, or a check to read it as (without it: the tool is recognised)", {
        default: "auto",
      }),
    ],
    examples: ["npm test 2>&1 | agent-gauntlet parse", "agent-gauntlet parse --parser lint < lint.log"],
    run: async (terminal, options: ParseOptions) => (await families.look()).parseCommand(terminal, options),
  },
  {
    name: "health",
    shown: "hidden",
    summary: "show which AI reviewers are installed and available",
    options: [option("--json", "print it as JSON")],
    run: async (terminal, options: HealthOptions) =>
      (await families.install()).healthCommand(terminal, options),
  },
  {
    name: "dashboard",
    summary: "serve a local page with the stops, gates and sessions of all projects",
    options: [option("--port <number>", "listen here (a free port otherwise)", { read: readPort })],
    examples: ["agent-gauntlet dashboard", "agent-gauntlet dashboard --port 4711"],
    run: async (terminal, options: DashboardOptions) =>
      (await families.dashboard()).dashboardCommand(terminal, options),
  },
];

const PROVE: readonly CommandRow[] = [
  {
    name: "log",
    shown: "first",
    summary: "show the verdicts given in this project",
    options: [
      option("--session <id>", "only of this session (the beginning of its id is enough)"),
      option("--gate <name>", "only of this gate, with how long it took"),
      option("--since <when>", "only after a date or a while ago: 2026-11-15, 3d, 12h", { read: readMoment }),
      option("-n, --number <count>", "how many (20; all with --export)", { read: readCount }),
      option("--check", "check that no line was changed and none is missing"),
      option("--flaky", "only list the tests that passed when repeated, with how often and when"),
      option("--export", "print JSON lines without names of sessions, branches and work trees", {
        conflicts: ["check", "json"],
      }),
      option("--json", "print them as JSON"),
    ],
    examples: [
      "agent-gauntlet log --since 3d",
      "agent-gauntlet log --gate test",
      "agent-gauntlet log --flaky --since 7d",
      "agent-gauntlet log --check",
    ],
    run: async (terminal, options: LogOptions) => (await families.look()).logCommand(terminal, options),
  },
  {
    name: "verify",
    shown: "first",
    summary: "check whether the work tree, or a commit, passed its gates",
    arguments: [{ name: "[revision]", summary: "the commit (without one: the work tree as it is)" }],
    options: [
      option("--run", "run the gates if there is no pass yet"),
      option("--pre-push [remote]", "verify each ref that git's pre-push hook names on stdin", {
        conflicts: "attested",
      }),
      option("--attested", "go by what others signed, not by the ledger of this machine", {
        conflicts: "run",
      }),
      option("--allowed-signers <file>", "whose signatures count, as ssh-keygen(1) reads it"),
      option("--json", "print it as JSON"),
    ],
    examples: [
      "agent-gauntlet verify",
      "agent-gauntlet verify HEAD --run",
      "agent-gauntlet verify origin/main --attested --allowed-signers .gauntlet/allowed-signers",
    ],
    run: async (terminal, revision: string | undefined, options: VerifyOptions) =>
      (await families.proof()).verifyCommand(terminal, { ...options, revision, runGates: runAll }),
  },
  {
    name: "attest",
    summary: "sign that a commit passed here, for others to verify",
    arguments: [{ name: "[revision]", summary: "the commit (HEAD)" }],
    options: [option("--json", "print it as JSON")],
    examples: ["agent-gauntlet attest", "agent-gauntlet attest v1.2.0"],
    run: async (terminal, revision: string | undefined, options: AttestOptions) =>
      (await families.proof()).attestCommand(terminal, { ...options, revision }),
  },
];

const OTHER_MACHINES: readonly CommandRow[] = [
  {
    name: "keys",
    summary: "create or show the key that signs passes for other machines",
    arguments: [
      { name: "<action>", summary: "what to do", choices: ["create", "show"] },
      { name: "[name]", summary: "which key of yours (default; `show` prefers $GAUNTLET_SIGNING_KEY)" },
    ],
    options: [option("--public", "print only the public half"), option("--json", "print it as JSON")],
    examples: [
      "agent-gauntlet keys create ci-2026",
      "agent-gauntlet keys show ci-2026 --public > .gauntlet/keys/ci-2026.pub",
    ],
    run: async (terminal, action: "create" | "show", name: string | undefined, options: KeysOptions) =>
      (await families.remote()).keysCommand(terminal, action, { ...options, name }),
  },
  {
    name: "ci",
    summary: "write a workflow for GitHub Actions, or plan what a build must run",
    arguments: [
      {
        name: "<action>",
        summary: "init: write the workflow; plan: print what is to run",
        choices: ["init", "plan"],
      },
    ],
    options: [
      option("-b, --base <revision>", "plan: compare with this commit (empty or zeros: the base branch)"),
      option(
        "--allowed-signers <file>",
        "whose attestations count: a file of the base commit, from the root of the repository",
      ),
      option("--dry-run", "init: print the workflow, write nothing"),
      option("--json", "print the plan as JSON"),
    ],
    examples: ["agent-gauntlet ci init", "agent-gauntlet ci plan --json | jq .matrix"],
    run: async (terminal, action: "init" | "plan", options: CiOptions) =>
      (await families.proof()).ciCommand(terminal, action, options),
  },
  {
    name: "worker",
    summary: "run gates for other machines, until TERM (needs `npm install bullmq ioredis`)",
    options: [
      option("--url <redis>", "the queue: redis://host or rediss://host (default: remote.workers.url)"),
      option("--tree <repository>", "the git repository to fetch trees from (default: remote.workers.tree)"),
      option("--concurrency <number>", "how many gates to run at the same time (1)", { read: readCount }),
      option("--platform <name>", "whose gates to take, such as linux-x64 (that of this machine)"),
      option("--dir <directory>", "where checkouts are kept (~/.cache/agent-gauntlet/worker)"),
      option("--max-gb <number>", "how large they may become together (20)", { read: readCount }),
      option("--fresh", "remove also what git ignores before each gate (always with --cache)"),
      option("--cache <url>", "sign what passes with GAUNTLET_SIGNING_KEY and share it there"),
    ],
    examples: [
      "agent-gauntlet worker --url redis://queue.example --tree ssh://git.example/gauntlet.git --concurrency 4",
    ],
    run: async (terminal, options: WorkerCommandOptions) =>
      (await families.remote()).workerCommand(terminal, options),
  },
  {
    name: "workers",
    summary: "show the running workers and the gates that wait for them",
    options: [
      option("--url <redis>", "the queue (default: remote.workers.url)"),
      option("--json", "print it as JSON"),
    ],
    examples: ["agent-gauntlet workers", "agent-gauntlet workers --json | jq '.workers | length'"],
    run: async (terminal, options: WorkerCommandOptions) =>
      (await families.remote()).workersCommand(terminal, options),
  },
];

const STOP_HOOK: readonly CommandRow[] = [
  {
    name: "doctor",
    shown: "first",
    summary: "check the configuration, the stop hook of each agent and the reviewers",
    options: [
      option(
        "--live",
        "start Claude Code against a model on this machine, and see whether a block goes through",
      ),
      option("--json", "print the findings as JSON"),
    ],
    examples: ["agent-gauntlet doctor --live"],
    run: async (terminal, options: DoctorOptions) =>
      (await families.install()).doctorCommand(terminal, options),
  },
  {
    name: "audit",
    summary: "try this project's own stop hooks in scratch copies and show whether they hold an agent",
    arguments: [{ name: "[hooks...]", summary: "only these: the path of a script, a part of a command" }],
    options: [
      option("-y, --yes", "run the hooks without asking"),
      option("--json", "with --yes: print the verdicts as JSON"),
    ],
    examples: ["agent-gauntlet audit", "agent-gauntlet audit .claude/hooks/stop.sh --yes"],
    run: async (terminal, hooks: readonly string[], options: AuditOptions) =>
      (await families.audit()).auditCommand(terminal, hooks, options),
  },
  {
    name: "simulate",
    summary: "play a stop as an agent would and show what it and you would see",
    options: [
      option("--host <name>", `which agent: ${HOST_NAMES}`, { default: "claude-code" }),
      option("--event <file>", "the payload to play, instead of one made up"),
      option(
        "--start [commit]",
        "play the start of the session first: with the files as they are now, or with those of a commit",
      ),
      option("--times <n>", "how many stops in a row, as long as the agent continues", {
        read: readCount,
        default: 1,
      }),
    ],
    examples: [
      "agent-gauntlet simulate",
      "agent-gauntlet simulate --start HEAD~1",
      "agent-gauntlet simulate --host codex --times 5",
    ],
    run: async (terminal, options: SimulateOptions) =>
      (await families.install()).simulateCommand(terminal, options),
  },
  {
    name: "explain",
    shown: "first",
    summary: "show why the last stop was blocked, allowed or deferred",
    options: [
      option("--last [n]", "the last stop (the default), or the n-th last one", { read: readCount }),
      option("--session <id>", "only of this session (the beginning of its id is enough)"),
      option("--anywhere", "the last stop of each session, in whatever directory it was"),
      option("-v, --verbose", "also show each condition, the files, the plan and the raw answer"),
      option("--json", "print it as JSON"),
    ],
    examples: ["agent-gauntlet explain", "agent-gauntlet explain --last 2"],
    run: async (terminal, options: ExplainOptions) =>
      (await families.look()).explainCommand(terminal, options),
  },
];

const ONLY_YOU: readonly CommandRow[] = [
  {
    name: "allow",
    summary: "allow a user-wide hook to run this project's gates, as they are now",
    options: [
      option("--list", "show every project you allowed or denied", { conflicts: "print" }),
      option(
        "--print",
        "print the hash of the gates: for AGENT_GAUNTLET_ALLOW, where there is no one to ask",
      ),
      option("--json", "with --list: print it as JSON"),
    ],
    examples: ["agent-gauntlet allow", "agent-gauntlet allow --list", "agent-gauntlet allow --print"],
    run: async (terminal, options: AllowOptions) => (await families.trust()).allowCommand(terminal, options),
  },
  {
    name: "deny",
    summary: "never run this project's gates from a user-wide hook",
    examples: ["agent-gauntlet deny"],
    run: async (terminal) => (await families.trust()).denyCommand(terminal),
  },
  {
    name: "accept",
    summary: "show how the gates changed during the session, and approve the changes",
    examples: ["agent-gauntlet accept"],
    run: async (terminal) => (await families.trust()).acceptCommand(terminal),
  },
  {
    name: "skip",
    shown: "first",
    summary: "let the agent stop unchecked, because you say so",
    options: [
      option("--reason <text>", "why: shown at the stop and recorded", { read: readReason, required: true }),
      option("--gate <name>", "leave out only this gate"),
      option("--once", "the next stop (what is meant without --for and --session)", {
        conflicts: ["for", "session"],
      }),
      option("--for <time>", "every stop for a while: 30m, 2h", { conflicts: "session", read: readWhile }),
      option("--session", "every stop of the session that stopped here last"),
    ],
    examples: [
      'agent-gauntlet skip --reason "the test server is down"',
      'agent-gauntlet skip --reason "flaky today" --gate e2e --for 2h',
    ],
    run: async (terminal, options: SkipOptions) => (await families.trust()).skipCommand(terminal, options),
  },
];

const MORE: readonly CommandRow[] = [
  {
    name: "clean",
    summary: "archive the logs, forget failures and attempts",
    options: [
      option("--all", "also remove the ledger and all else that is kept about this project outside of it"),
      option("--json", "print it as JSON"),
    ],
    run: async (terminal, options: CleanOptions) => (await families.look()).cleanCommand(terminal, options),
  },
  {
    name: "demo",
    summary: "play a stop in a scratch repository: blocked, fixed, allowed",
    run: async (terminal) => (await families.install()).demoCommand(terminal),
  },
  {
    name: "completion",
    summary: "print a completion script for your shell",
    arguments: [{ name: "<shell>", summary: "your shell", choices: ["bash", "zsh", "fish"] }],
    examples: ['eval "$(agent-gauntlet completion bash)"', "agent-gauntlet completion fish | source"],
    run: async (terminal, shell: CompletionOptions["shell"]) =>
      (await families.look()).completionCommand(terminal, { shell }),
  },
  {
    name: "mcp",
    shown: "hidden",
    summary: "serve the gates to an agent over MCP on stdio (agents start it, not people)",
    options: [option("--project <directory>", "the project, where the agent starts servers elsewhere")],
    examples: ["claude mcp add gauntlet -- agent-gauntlet mcp"],
    run: async (terminal, options: McpOptions) => {
      const { explainCommand, statusCommand } = await families.look();
      return (await families.mcp()).mcpCommand(terminal, { ...options, explainCommand, statusCommand });
    },
  },
  {
    name: "acp",
    summary: "start an agent for an editor that speaks the Agent Client Protocol, and gate it",
    arguments: [{ name: "<agent...>", summary: "the agent's own command, behind `--`" }],
    options: [option("--only-allowed", "run nothing of a project that `agent-gauntlet allow` does not know")],
    examples: ["agent-gauntlet acp -- gemini --acp"],
    run: async (terminal, agent: readonly string[], { onlyAllowed = false }: AcpOptions) => {
      const { hearPrompt, rememberSession } = await families.sessionHooks();
      const begin = (session: SessionName) => rememberSession(session, onlyAllowed);
      return (await families.acp()).acpCommand(terminal, agent, { onlyAllowed, begin, hear: hearPrompt });
    },
  },
  {
    name: "stop-hook",
    shown: "hidden",
    summary: "answer an agent's stop hook (agents call it, not people)",
    options: [
      option("--host <name>", "which agent asks, when the event does not say"),
      option("--only-allowed", "run nothing of a project that `agent-gauntlet allow` does not know"),
    ],
  },
  {
    name: "prompt-hook",
    shown: "hidden",
    summary:
      "take down `gauntlet skip: why` and `gauntlet accept` from a prompt (agents call it, not people)",
  },
  {
    name: "config-hook",
    shown: "hidden",
    summary: "keep an agent's settings from switching our hooks off (agents call it, not people)",
  },
  {
    name: "edit-hook",
    shown: "hidden",
    summary:
      "check the files an agent has just edited, and run ahead of its stop (agents call it, not people)",
    options: [option("--host <name>", "which agent calls")],
  },
  {
    name: "run-ahead",
    shown: "hidden",
    summary: "run the gates before the stop, in the background (`edit-hook` starts it, not people)",
    arguments: [{ name: "<directory>", summary: "the project" }],
  },
  {
    name: "session-start",
    shown: "hidden",
    summary: "remember where an agent's session begins (agents call it, not people)",
    options: [option("--host <name>", "which agent calls")],
  },
  {
    name: "statusline",
    shown: "hidden",
    summary: "print one line for Claude Code's status line (it calls this, with JSON on stdin)",
    examples: ['"statusLine": { "type": "command", "command": "agent-gauntlet statusline" }'],
  },
  {
    name: "brepl",
    summary: "stop hooks of .brepl/hooks.edn for Clojure projects (see `agent-gauntlet brepl --help`)",
  },
];

export const COMMANDS: Readonly<Record<string, readonly CommandRow[]>> = {
  "Set up": SET_UP,
  "Run the gates": RUN,
  "Look, without running anything": LOOK,
  "Prove what was checked": PROVE,
  "Work with other machines": OTHER_MACHINES,
  "Understand the stop hook": STOP_HOOK,
  "Decide what only you can": ONLY_YOU,
  More: MORE,
};
