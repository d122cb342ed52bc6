import { existsSync } from "node:fs";
import { join } from "node:path";
import { GauntletProject } from "./gauntlet-project.ts";

/** A linter for lines that say BAD. It also says where it ran, how often, and what git makes of that place. */
const LINT = `
printf '%s\\n' "$PWD" >> "$RAN"
GIT_OPTIONAL_LOCKS=0 git status --porcelain --untracked-files=no >> "$RAN.status"
git rev-parse HEAD >> "$RAN.head"
found=0
for file in src/*.js; do
  grep -n BAD "$file" > found.txt || continue
  found=1
  while IFS=: read -r line text; do echo "$PWD/$file:$line:1: error: $text [no-bad]"; done < found.txt
done
exit $found
`;

const OLD = {
  "lint.sh": LINT,
  ".gitignore": "found.txt\nnode_modules/\n",
  "src/a.js": "one\nBAD old\n",
  "src/b.js": "two\nBAD older\n",
};

/** On a branch off `main`, where two problems are old. */
export async function projectWith(
  config: string,
  files: Readonly<Record<string, string>> = {},
): Promise<GauntletProject> {
  const made = await GauntletProject.create({
    ...OLD,
    ...files,
    ".gauntlet/config.yml": `base_branch: main\n${config}`,
  });
  await made.commit("start");
  await made.git("checkout", "--quiet", "-b", "work");
  return made;
}

export const ONLY_NEW = "only_new: true\nchecks: { lint: sh lint.sh }\n";

export function env({ home }: GauntletProject): Record<string, string> {
  return { RAN: join(home, "ran"), TMPDIR: join(home, "tmp") };
}

export async function stopIn(made: GauntletProject) {
  return made.stop({}, { env: env(made) });
}

/** Where the linter has run, each time. */
export function placesIn(made: GauntletProject): readonly string[] {
  const { home } = made;
  return existsSync(join(home, "ran")) ? made.at(home).read("ran").trim().split("\n") : [];
}
