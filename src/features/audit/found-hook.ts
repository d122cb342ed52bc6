/** A stop hook of the project's own. */
export interface FoundHook {
  /** Where it is registered, relative to the project. */
  readonly file: string;
  readonly host: string;
  /** By the host's name for it; one command may be registered for several. */
  readonly events: readonly [string, ...string[]];
  readonly command: string;
  /** The exec form of Claude Code: no shell reads the command. */
  readonly args?: readonly string[];
  readonly timeoutMs?: number;
  /** Of a plugin: what `CLAUDE_PLUGIN_ROOT` names, relative to the project. */
  readonly pluginRoot?: string;
  readonly scripts: readonly HookScript[];
  /** Why it can block no stop, whatever it runs. */
  readonly inert?: string;
  /** Why it cannot be tried. */
  readonly untried?: string;
}

/** A file of the project that a hook runs. */
export interface HookScript {
  readonly path: string;
  readonly text: string;
}

/** What a hook is called in lines for people: its script if there is one, else its command. */
export function nameOf({ scripts, command, args }: FoundHook): string {
  const [first] = scripts;
  const more = args === undefined || args.length === 0 ? "" : ` ${args.join(" ")}`;
  if (first !== undefined) return `${first.path}${more}`;
  const [line = ""] = command.split("\n");
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
}
