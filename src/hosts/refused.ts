import { closest } from "../core/did-you-mean.ts";

/** Agents people ask for whose stop cannot be blocked: refused in words, so that no one believes in a gate that is not there. */
const REFUSED: Readonly<Record<string, string>> = {
  "amazon-q": "its hooks cannot keep the agent from stopping",
  kiro: "its hooks cannot keep the agent from stopping",
  goose: "its Stop hook is documented but we have not seen it work, and there is no adapter for it yet",
  cline: "it ignores what its TaskComplete hook answers",
  windsurf: "its hooks cannot keep the agent from stopping",
  crush: "it has no hook at the end of a turn",
  auggie: "its hooks cannot keep the agent from stopping",
  continue: "its hooks cannot keep the agent from stopping",
  eca: "there is no adapter for its `postRequest` hook yet",
};

/** What to tell someone who names an agent that is not in the table. */
export function refusal(name: string, known: readonly { readonly name: string }[]): string {
  const reason = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  if (reason !== undefined) return `${name} cannot be gated: ${reason}.`;
  const names = known.map((host) => host.name);
  const shortNames = new Map(
    names.flatMap((full) => [[full.split("-")[0] ?? full, full] as const, [full, full]]),
  );
  const meant = shortNames.get(closest(name, [...shortNames.keys()]) ?? "");
  const hint = meant === undefined ? "." : `: did you mean \`${meant}\`?`;
  return `There is no agent "${name}" here${hint} Known: ${names.join(", ")}.`;
}
