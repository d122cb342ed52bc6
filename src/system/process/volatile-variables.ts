import { once } from "../../once.ts";

/**
 * Set by agents for their children (Claude Code 2.1.328, Codex 0.166, Gemini CLI 0.61, Qwen Code 0.24, Copilot CLI 1.0.102;
 * OpenCode and others by their documentation). `*` is the rest of a name.
 */
const AGENT_MARKS = `
  CLAUDECODE CLAUDE_CODE_CHILD_* CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_EXECPATH CLAUDE_CODE_LAUNCHED_BY_* CLAUDE_CODE_MESSAGING_* CLAUDE_CODE_SESSION_*
  CLAUDE_CODE_SSE_PORT CLAUDE_CODE_SUBAGENT_* CLAUDE_EFFORT CLAUDE_ENV_FILE CLAUDE_PID CLAUDE_PLUGIN_* CLAUDE_PROJECT_DIR AI_AGENT
  CODEX_THREAD_ID CODEX_SESSION_ID CODEX_INTERNAL_* GEMINI_CLI GEMINI_SESSION_ID GEMINI_PROJECT_DIR GEMINI_CWD GEMINI_PLANS_DIR
  QWEN_CODE QWEN_PROJECT_DIR COPILOT_CLI COPILOT_AGENT_SESSION_ID COPILOT_RUN_APP CURSOR_AGENT OPENCODE KILOCODE
  FACTORY_PROJECT_DIR GROK_CLI CLINE_ACTIVE`;

/** Codex's sandbox takes rights away, so gates may behave differently in it. */
export const agentVariables = once(() => named(`${AGENT_MARKS} CODEX_SANDBOX*`));

/**
 * Two ordinary runs of one user differ in these (terminal, hook, MCP server, npm), and no gate should depend on them. What
 * steers a tool, such as other `npm_config_*`, is not here. A test compares the list with docs/trust.md.
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

/** `SHELL` names one of these if it is set; MCP clients leave it out. */
export const SYSTEM_SHELL = /^(?:\/usr)?\/bin\/\w*sh$/;

/** No two machines agree in these, so a shared pass says nothing about them. */
export const machineVariables = once(() =>
  named(`${VOLATILE}
    HOME HOSTNAME SHELL MAIL PATH XDG_*
    CI CI_* GITHUB_* GITLAB_* RUNNER_* ACTIONS_*`),
);

/** Every stop asks for every variable; a regular expression of so many names is slow. */
export type Names = (name: string) => boolean;

function named(list: string): Names {
  const all = list.trim().split(/\s+/);
  const exact = new Set(all);
  const starts = all.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return (name) => exact.has(name) || starts.some((start) => name.startsWith(start));
}
