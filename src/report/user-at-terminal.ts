import { isatty } from "node:tty";
import { HOSTS } from "../hosts/host-table.ts";
import { agentAbove } from "../system/process/agents-above.ts";
import { EXIT } from "./exit-code.ts";
import { printLine, type Terminal } from "./terminal.ts";

/** Why this does not look like a user at a terminal; undefined where it does. What only the user may grant asks this first. */
export function whyNoUser({ env, isInteractive }: Terminal): string | undefined {
  const agent = agentAround(env);
  if (agent !== undefined) return `it seems to be run by an agent: ${agent}`;
  return isInteractive ? undefined : "there is no terminal";
}

/** Whether a user started this at a terminal, alone or as a part of something: `agent-gauntlet run | tee`, a hook of git's. */
export function isUserThere({ env }: Terminal): boolean {
  return [0, 1, 2].some((stream) => isatty(stream)) && agentAround(env) === undefined;
}

function agentAround(env: Terminal["env"]): string | undefined {
  return agentAbove(
    env,
    HOSTS.flatMap(({ registration }) => registration?.executables ?? []),
  );
}

/** Says that only the user may do this, and how. */
export function refuseAgent(terminal: Terminal, command: string, why: string): number {
  const more =
    command === "accept" || command === "skip"
      ? `, or write the line \`gauntlet ${command === "skip" ? "skip: why" : command}\` in the chat`
      : "";
  printLine(terminal.stderr, `Only you can do this, in your own terminal (${why}).`);
  printLine(terminal.stderr, `Type \`agent-gauntlet ${command}\` there${more}.`);
  return EXIT.notOk;
}
