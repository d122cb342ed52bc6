import type { Command } from "commander";
import { gauntletCommands } from "../command-table.ts";
import { EXIT } from "../exit-code.ts";
import { printLine, type Terminal } from "../terminal.ts";

export interface CompletionOptions {
  readonly shell: "bash" | "zsh" | "fish";
}

/** Prints a completion script made from the command table itself. */
export async function completionCommand(terminal: Terminal, { shell }: CompletionOptions): Promise<number> {
  const commands = gauntletCommands(async () => {}).commands.map(describe);
  printLine(terminal.stdout, SCRIPTS[shell](commands));
  return EXIT.ok;
}

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly string[];
}

function describe(command: Command): Described {
  const flags = command.options.flatMap(({ short, long }) =>
    [short, long].filter((flag) => flag !== undefined),
  );
  return { name: command.name(), summary: command.description(), flags: [...flags, "--help"] };
}

const SCRIPTS: Readonly<Record<CompletionOptions["shell"], (commands: readonly Described[]) => string>> = {
  bash: (commands) => `_agent_gauntlet() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names(commands)}" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.map(({ name, flags }) => `    ${name}) COMPREPLY=($(compgen -W "${flags.join(" ")}" -- "$current")) ;;`).join("\n")}
  esac
}
complete -F _agent_gauntlet agent-gauntlet`,
  zsh: (commands) => `#compdef agent-gauntlet
_agent_gauntlet() {
  if (( CURRENT == 2 )); then
    local -a commands=(${commands.map(({ name, summary }) => quote(`${name}:${summary}`)).join(" ")})
    _describe command commands
    return
  fi
  case "$words[2]" in
${commands.map(({ name, flags }) => `    ${name}) compadd -- ${flags.join(" ")} ;;`).join("\n")}
  esac
}
compdef _agent_gauntlet agent-gauntlet`,
  fish: (commands) =>
    commands
      .flatMap(({ name, summary, flags }) => [
        `complete -c agent-gauntlet -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
        ...flags.map(
          (flag) => `complete -c agent-gauntlet -n '__fish_seen_subcommand_from ${name}' ${fishFlag(flag)}`,
        ),
      ])
      .join("\n"),
};

function names(commands: readonly Described[]): string {
  return commands.map(({ name }) => name).join(" ");
}

function fishFlag(flag: string): string {
  return flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "")}'`;
}
