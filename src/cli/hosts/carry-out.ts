import { relative } from "node:path";
import { explain } from "../../core/trouble.ts";
import type { HostPlan, PlannedFile } from "../../install/plan-hosts.ts";
import { previewChange, applyEdit } from "../../install/files/settings-edit.ts";
import { confirm } from "../prompt.ts";
import { EXIT } from "../exit-code.ts";
import { printLine, type Terminal } from "../output/terminal.ts";

interface CarryOutOptions {
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
  /** What is true when it has been done. */
  readonly done?: string;
}

/** Shows what would change, asks, does it, and says what else there is to know. Trouble in one file does not keep back another. */
export async function carryOut(
  terminal: Terminal,
  plan: HostPlan,
  { dryRun, yes, done = "Stop hook installed in" }: CarryOutOptions,
): Promise<number> {
  show(terminal, plan);
  const changes = plan.files.filter((file) => file.change.kind !== "unchanged");
  const code = plan.troubles.length === 0 ? EXIT.ok : EXIT.notOk;
  if (changes.length === 0 || dryRun) return code;
  if (!yes && !(await confirm(terminal, "Change these files?"))) {
    printLine(terminal.stdout, "Nothing was changed.");
    return EXIT.notOk;
  }
  if (!(await apply(terminal, changes))) return EXIT.notOk;
  printLine(terminal.stdout, `✓ ${done} ${changes.map((file) => fromHere(terminal, file)).join(", ")}`);
  return code;
}

function show(terminal: Terminal, { files, troubles, notes }: HostPlan): void {
  for (const file of files)
    terminal.stdout.write(previewChange(fromHere(terminal, file), file.before, file.change));
  for (const trouble of troubles) printLine(terminal.stderr, explain(trouble));
  for (const note of notes) printLine(terminal.stdout, `→ ${note}`);
}

async function apply(terminal: Terminal, changes: readonly PlannedFile[]): Promise<boolean> {
  const results = await Promise.all(changes.map(applyEdit));
  for (const result of results) if (!result.ok) printLine(terminal.stderr, explain(result.trouble));
  return results.every((result) => result.ok);
}

/** Below the root of the project it shows where that is. */
function fromHere({ cwd }: Terminal, { level, path, shown }: PlannedFile): string {
  return level === "user" ? shown : relative(cwd, path);
}
