import { once } from "../../once.ts";

/**
 * Set by hosts for their children (Claude Code 2.1.325, Codex 0.166, Gemini CLI 0.61, Qwen Code 0.24, Copilot CLI 1.0.102; OpenCode and
 * others by their documentation). `*` stands for the rest of a name.
 */
const AGENT_MARKS = `
  CLAUDECODE CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_EXECPATH CLAUDE_CODE_MESSAGING_* CLAUDE_CODE_SESSION_*
  CLAUDE_CODE_SSE_PORT CLAUDE_CODE_SUBAGENT_* CLAUDE_EFFORT CLAUDE_ENV_FILE CLAUDE_PID CLAUDE_PLUGIN_* CLAUDE_PROJECT_DIR AI_AGENT
  CODEX_THREAD_ID CODEX_SESSION_ID CODEX_INTERNAL_* GEMINI_CLI GEMINI_SESSION_ID GEMINI_PROJECT_DIR GEMINI_CWD GEMINI_PLANS_DIR
  QWEN_CODE QWEN_PROJECT_DIR COPILOT_CLI COPILOT_AGENT_SESSION_ID COPILOT_RUN_APP CURSOR_AGENT OPENCODE KILOCODE
  FACTORY_PROJECT_DIR GROK_CLI CLINE_ACTIVE`;

/** Codex's sandbox takes rights away: it is more than a mark, and gates may behave differently in it. */
export const agentVariables = once(() => named(`${AGENT_MARKS} CODEX_SANDBOX*`));

/**
 * The variables in which two ordinary runs of one user differ, and by which no gate should: one run is started in a terminal, one by an
 * agent's hook, one by its MCP server, one by npm. Not among them: what steers a tool, such as the other `npm_config_*`. A test compares
 * the list with the one in docs/trust.md.
 */
const VOLATILE = `${AGENT_MARKS}
  COREPACK_ENABLE_AUTO_PIN NoDefaultCurrentDirectoryInExePath
  USER LOGNAME USERNAME
  PWD OLDPWD SHLVL _
  TERM TERM_PROGRAM TERM_PROGRAM_VERSION TERM_SESSION_ID LC_TERMINAL LC_TERMINAL_VERSION LINES COLUMNS WINDOWID VTE_VERSION GPG_TTY
  ITERM_* KITTY_* WEZTERM_* ALACRITTY_* GHOSTTY_* KONSOLE_* GNOME_TERMINAL_* WT_SESSION WT_PROFILE_ID TMUX TMUX_PANE STY ZELLIJ*
  VSCODE_* CURSOR_TRACE_ID
  COLOR COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE
  EDITOR VISUAL GIT_EDITOR PAGER GIT_PAGER GH_PAGER MANPAGER
  SSH_AUTH_SOCK SSH_AGENT_PID SSH_CLIENT SSH_CONNECTION SSH_TTY XDG_SESSION_ID DBUS_SESSION_BUS_ADDRESS SECURITYSESSIONID
  INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID
  TMPDIR TMP TEMP CLAUDE_CODE_TMPDIR
  npm_command npm_lifecycle_* npm_package_* npm_config_user_agent INIT_CWD
  TRACEPARENT TRACESTATE
  GAUNTLET_STOP_HOOK_* GAUNTLET_RUN_ID GAUNTLET_GATE_RUN AGENT_GAUNTLET_*`;

export const volatileVariables = once(() => named(VOLATILE));

/** A shell of the system, which is what `SHELL` names where it is set at all: clients of MCP leave it out. */
export const SYSTEM_SHELL = /^(?:\/usr)?\/bin\/\w*sh$/;

/** In these no two machines agree, so a pass that they share says nothing about them; what a build server says of itself is among them. */
export const machineVariables = once(() =>
  named(`${VOLATILE}
    HOME HOSTNAME SHELL MAIL PATH XDG_*
    CI CI_* GITHUB_* GITLAB_* RUNNER_* ACTIONS_*`),
);

/** Whether a name is one of these: every stop asks it of every variable, and a regular expression of so many names is slow. */
export type Names = (name: string) => boolean;

function named(list: string): Names {
  const all = list.trim().split(/\s+/);
  const exact = new Set(all);
  const starts = all.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return (name) => exact.has(name) || starts.some((start) => name.startsWith(start));
}
