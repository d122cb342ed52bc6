import { join } from "node:path";
import { ok, type Result } from "../../core/trouble.ts";
import { readText } from "../files/files.ts";
import { type Git, LOOK_OPTIONS, splitNul } from "./git.ts";
import { lookAtEveryFile } from "./hidden-files.ts";
import { Repository } from "./repository.ts";

/**
 * Submodules with changes that git does not tell the repository around them: files it was told not to look at, or settings of the
 * submodule's own that leave changes out of sight, which no option given outside reaches. By name from the top.
 */
export async function submodulesWithHiddenChanges({
  top,
  marks,
}: Repository): Promise<Result<readonly string[]>> {
  if (!marks().mayHoldSubmodule) return ok([]);
  const listed = await top.output(["ls-files", "-z", "--stage"]);
  if (!listed.ok) return listed;
  const names = splitNul(listed.value)
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => entry.slice(entry.indexOf("\t") + 1));
  const looks = await Promise.all(
    [...new Set(names)].map(async (name) => ({ name, look: await look(top, name) })),
  );
  const failed = looks.find(({ look: one }) => !one.ok)?.look;
  if (failed?.ok === false) return failed;
  return ok(looks.filter(({ look: one }) => one.ok && one.value).map(({ name }) => name));
}

/** Whether a submodule has a change that only we see. */
async function look(top: Git, name: string): Promise<Result<boolean>> {
  const inside = await Repository.around(top.at(join(top.cwd, name)));
  if (inside === undefined || inside.places.top === top.cwd) return ok(false); // it is not checked out
  const deeper = await submodulesWithHiddenChanges(inside);
  if (!deeper.ok || deeper.value.length > 0) return deeper.ok ? ok(true) : deeper;
  if (!inside.marks().mayHide && !hasHidingSettings(inside)) return ok(false);
  const status = [...LOOK_OPTIONS, "status", "--porcelain", "-z", "--untracked-files=all"];
  const output = await lookAtEveryFile(inside, (env) => inside.top.output(status, { env }));
  return output.ok ? ok(output.value.length > 0) : output;
}

function hasHidingSettings({ places }: Repository): boolean {
  const config = readText(join(places.commonDir, "config"));
  return !config.ok || HIDING.test(config.value);
}

const HIDING =
  /filemode\s*=\s*false|symlinks\s*=\s*false|ignorecase\s*=\s*true|trustctime|checkstat|include/i;
