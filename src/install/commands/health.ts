import type { ReviewGate } from "../../gates/gate.ts";
import { loadSettings } from "../../config/gauntlet/load.ts";
import { probeReviewer, type ReviewerHealth } from "../../gates/review/ask-reviewer.ts";
import { findReviewer, REVIEWERS } from "../../gates/review/reviewers.ts";
import { findProject } from "../../system/files/find-project.ts";
import { healthJson } from "../../report/json/json.ts";
import { EXIT } from "../../report/exit-code.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";

export interface HealthOptions {
  readonly json?: boolean;
}

export async function healthCommand(terminal: Terminal, options: HealthOptions): Promise<number> {
  return (await showReviewers(terminal, await reviewsOf(terminal), options)) ? EXIT.ok : EXIT.notOk;
}

/** Whether each review of this project has a reviewer that can be asked; for `doctor`, which shows them only if there is a review. */
export async function checkReviewers(terminal: Terminal): Promise<boolean> {
  const reviews = await reviewsOf(terminal);
  if (reviews.length === 0) return true;
  printLine(terminal.stdout, terminal.colours.bold("Reviewers"));
  return showReviewers(terminal, reviews, {});
}

async function showReviewers(
  terminal: Terminal,
  reviews: readonly ReviewGate[],
  { json }: HealthOptions,
): Promise<boolean> {
  const wanted = [...new Set(reviews.flatMap(({ cliPreference }) => cliPreference))];
  const commands = wanted.flatMap((name) => (name.startsWith("command:") ? (findReviewer(name) ?? []) : []));
  const { env, cwd } = terminal;
  const healths = await Promise.all(
    [...REVIEWERS, ...commands].map((reviewer) => probeReviewer(reviewer, { env, cwd })),
  );
  const ready = healths.filter(({ state }) => state === "ready").map(({ reviewer }) => reviewer.name);
  const deserted = reviews.filter(({ cliPreference }) => !cliPreference.some((name) => ready.includes(name)));
  if (json) printLine(terminal.stdout, healthJson(healths, wanted));
  else printHealths(terminal, { healths, wanted, deserted });
  return deserted.length === 0;
}

async function reviewsOf({ cwd, env }: Terminal): Promise<readonly ReviewGate[]> {
  const root = findProject(cwd);
  const loaded = root === undefined ? undefined : await loadSettings(root, env);
  if (loaded?.ok !== true) return [];
  const gates = loaded.value.settings.entryPoints.flatMap((entryPoint) => entryPoint.gates);
  return gates.filter((gate) => gate.kind === "review");
}

function printHealths(
  { stdout, colours }: Terminal,
  facts: { healths: readonly ReviewerHealth[]; wanted: readonly string[]; deserted: readonly ReviewGate[] },
): void {
  for (const health of facts.healths) {
    const { reviewer, state, version, path } = health;
    const mark = state === "ready" ? colours.green("✓") : colours.yellow("○");
    const used = facts.wanted.includes(reviewer.name) ? " (used here)" : "";
    const what = [version, colours.dim(path ?? "")].filter(Boolean).join("  ");
    printLine(
      stdout,
      `${mark} ${reviewer.name}${used}: ${describeState(health)}${what === "" ? "" : `  ${what}`}`,
    );
    if (state === "missing" || state === "not-logged-in") printLine(stdout, `    ${reviewer.install}`);
  }
  for (const name of new Set(facts.deserted.map((gate) => gate.name))) {
    printLine(stdout, colours.red(`✗ The review "${name}" has no reviewer that can be asked now.`));
  }
}

function describeState({ state, until }: ReviewerHealth): string {
  switch (state) {
    case "ready":
      return "ready";
    case "missing":
      return "not installed";
    case "not-logged-in":
      return "not logged in";
    case "resting":
      return `at its usage limit, left alone until ${new Date(until ?? 0).toTimeString().slice(0, 5)}`;
  }
}
