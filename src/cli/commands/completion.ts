import type { Command, Option } from "commander";
import { gauntletCommands } from "../command-table.ts";
import { REGISTRABLE } from "../../install/host-request.ts";
import { EXIT } from "../../report/exit-code.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";

export interface CompletionOptions {
  readonly shell: "bash" | "zsh" | "fish";
}

export async function completionCommand(terminal: Terminal, { shell }: CompletionOptions): Promise<number> {
  const program = gauntletCommands(async () => {}, "all");
  const shown = program.createHelp().visibleCommands(program);
  const names = shown.map((command) => command.name());
  const commands = shown.map((command) => describe(command, names));
  printLine(terminal.stdout, SCRIPTS[shell](commands));
  return EXIT.ok;
}

const GATES = "agent-gauntlet list --names 2>/dev/null";

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly values: readonly string[];
}

interface Flag {
  readonly spellings: readonly string[];
  readonly summary: string;
  readonly takesValue: boolean;
  /** What the value may be; `gates` is asked of the program when it is needed. */
  readonly choices: readonly string[] | "gates";
}

function describe(command: Command, commandNames: readonly string[]): Described {
  const name = command.name();
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return {
    name,
    summary: command.description(),
    flags: [...command.options.map(describeFlag), HELP],
    values: name === "help" ? commandNames : choices,
  };
}

function describeFlag({ short, long, description, required, argChoices }: Option): Flag {
  const spellings = [short, long].filter((flag) => flag !== undefined);
  const choices = CHOICES[long ?? ""] ?? argChoices ?? [];
  return { spellings, summary: description, takesValue: required, choices };
}

const CHOICES: Readonly<Record<string, Flag["choices"]>> = {
  "--gate": "gates",
  "--host": REGISTRABLE.map((host) => host.name),
};

const HELP: Flag = { spellings: ["-h", "--help"], summary: "show help", takesValue: false, choices: [] };

const SCRIPTS: Readonly<Record<CompletionOptions["shell"], (commands: readonly Described[]) => string>> = {
  bash: (commands) => `_agent_gauntlet() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${commands.flatMap((command) => valueCases(command, bashValues)).join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${commands.map((command) => `    ${command.name}) COMPREPLY=($(compgen -W "${words(command)}" -- "$current")) ;;`).join("\n")}
  esac
}
complete -F _agent_gauntlet agent-gauntlet`,
  zsh: (commands) => `#compdef agent-gauntlet
_agent_gauntlet() {
  local -a commands flags
  if (( CURRENT == 2 )); then
    commands=(${commands.map(({ name, summary }) => quote(`${name}:${summary}`)).join(" ")})
    _describe command commands
    return
  fi
  case "$words[2] $words[CURRENT-1]" in
${commands.flatMap((command) => valueCases(command, zshValues)).join("\n")}
  esac
  case "$words[2]" in
${commands.map(zshCase).join("\n")}
  esac
}
if [ "$funcstack[1]" = "_agent_gauntlet" ]; then _agent_gauntlet "$@"; else compdef _agent_gauntlet agent-gauntlet; fi`,
  fish: (commands) =>
    ["complete -c agent-gauntlet -f", ...commands.flatMap((command) => fishLines(command))].join("\n"),
};

function valueCases(
  { name, flags }: Described,
  offer: (choices: Flag["choices"]) => string,
): readonly string[] {
  return flags
    .filter(({ choices }) => choices.length > 0)
    .map(({ spellings, choices }) => {
      const patterns = spellings.map((flag) => `"${name} ${flag}"`).join("|");
      return `    ${patterns}) ${offer(choices)}; return ;;`;
    });
}

function bashValues(choices: Flag["choices"]): string {
  const list = choices === "gates" ? `$(${GATES})` : choices.join(" ");
  return `COMPREPLY=($(compgen -W "${list}" -- "$current"))`;
}

function zshValues(choices: Flag["choices"]): string {
  return choices === "gates" ? `compadd -- \${(f)"$(${GATES})"}` : `compadd -- ${choices.join(" ")}`;
}

function words({ flags, values }: Described): string {
  return [...values, ...flags.flatMap(({ spellings }) => spellings)].join(" ");
}

function zshCase({ name, flags, values }: Described): string {
  const described = flags.flatMap(({ spellings, summary }) =>
    spellings.map((flag) => quote(`${flag}:${summary}`)),
  );
  const compadd = values.length === 0 ? "" : ` compadd -- ${values.join(" ")};`;
  return `    ${name})${compadd} flags=(${described.join(" ")}); _describe -o option flags ;;`;
}

function fishLines({ name, summary, flags, values }: Described): readonly string[] {
  const after = `complete -c agent-gauntlet -n '__fish_seen_subcommand_from ${name}'`;
  return [
    `complete -c agent-gauntlet -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
    ...(values.length === 0 ? [] : [`${after} -a ${quote(values.join(" "))}`]),
    ...flags.map(
      (flag) =>
        `${after} ${flag.spellings.map(fishFlag).join(" ")}${flag.takesValue ? " -x" : ""}${fishValues(flag)} -d ${quote(flag.summary)}`,
    ),
  ];
}

function fishValues({ choices }: Flag): string {
  if (choices === "gates") return ` -a ${quote(`(${GATES})`)}`;
  return choices.length === 0 ? "" : ` -a ${quote(choices.join(" "))}`;
}

function fishFlag(flag: string): string {
  return flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
}

/** One word for bash, zsh and fish alike. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
