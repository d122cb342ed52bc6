import type { Option } from "commander";
import { type CommandRow, COMMANDS } from "../../src/cli/command-rows.ts";

/** docs/commands-reference.md: what `--help` says of every command that people call. */
export function commandsReference(): string {
  const parts = [
    "# Command reference",
    "Every command with its arguments and options, written from the program by `npm run schema`. [Commands](commands.md) explains how to use them; `agent-gauntlet <command> --help` shows the same in the terminal.",
    ...Object.entries(COMMANDS).flatMap(([group, rows]) => [
      `## ${group}`,
      ...rows.filter(({ shown }) => shown !== "hidden").flatMap(entryOf),
    ]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function entryOf({ name, summary, arguments: args = [], options = [], examples = [] }: CommandRow): string[] {
  const facts = [
    ...args.map((arg) => `- \`${arg.name}\`: ${arg.summary}${choicesOf(arg.choices)}`),
    ...options.map((option) => `- \`${option.flags}\`: ${option.description}${choicesOf(option.argChoices)}${defaultOf(option)}`),
  ];
  return [
    `### ${name}`,
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    ...(facts.length === 0 ? [] : [facts.join("\n")]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join("\n")}\n\`\`\``]),
  ];
}

function choicesOf(choices: readonly string[] | undefined): string {
  return choices === undefined ? "" : ` (${choices.map((choice) => `\`${choice}\``).join(", ")})`;
}

function defaultOf({ defaultValue }: Option): string {
  return defaultValue === undefined || defaultValue === false ? "" : `; default: \`${String(defaultValue)}\``;
}
