import type { Host, HostAnswer, Payload, Taken } from "../hosts/host.ts";

/** One stop that was played: what was asked, what was answered, what both sides would see. */
export interface PlayedStop {
  readonly host: Host;
  readonly number: number;
  readonly payload: Payload;
  readonly answer: HostAnswer;
  readonly taken: Taken;
}

export function describeStop({ host, number, payload, answer, taken }: PlayedStop): string {
  const { agentReads, personSees, problem } = taken;
  return [
    `Stop ${number}, as ${host.title} sends it:`,
    `  ${JSON.stringify(payload)}`,
    `The answer (exit code ${answer.exitCode}):`,
    `  ${answer.stdout.trimEnd()}`,
    ...(answer.stderr === "" ? [] : ["On stderr:", ...indented(answer.stderr.trimEnd())]),
    ...(problem === undefined ? [] : [`${host.title} does not take it: ${problem}`]),
    agentReads === undefined ? "The agent stops." : "The agent goes on and reads:",
    ...(agentReads === undefined ? [] : indented(agentReads)),
    ...(personSees === undefined ? ["The user sees nothing."] : ["The user sees:", ...indented(personSees)]),
    "",
    "",
  ].join("\n");
}

function indented(text: string): readonly string[] {
  return text.split("\n").map((line) => `  ${line}`);
}
