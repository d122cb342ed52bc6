export function holdsRecipes(name: string): boolean {
  return /(?:^|\/)(?:GNUmakefile|[Mm]akefile|\.?[Jj]ustfile|[^/]+\.mk)$/.test(name);
}

interface Rule {
  readonly needs: readonly string[];
  readonly lines: readonly string[];
}

/**
 * What a Makefile or justfile runs for some targets: one shell text for each that no other needs. Text search only: included,
 * generated and pattern rules are not found.
 */
export function recipesOf(text: string, targets: readonly string[]): readonly string[] {
  const rules = rulesIn(text);
  const [first] = [...rules.keys()].filter((name) => !name.startsWith("."));
  const seen = new Set<string>();
  const named = targets.filter((name) => rules.has(name));
  return (named.length > 0 || first === undefined ? named : [first]).flatMap(recipe);

  function recipe(target: string): readonly string[] {
    const rule = rules.get(target);
    if (rule === undefined || seen.has(target)) return [];
    seen.add(target);
    const needed = rule.needs.flatMap(recipe);
    return rule.lines.length === 0 ? needed : [[...needed, ...rule.lines].join("\n")];
  }
}

/** `name more: needs`, not `name := value`. */
const HEADER =
  /^@?(?<names>[\w.][^\s:=#]*(?!\s*[:+?!]?=)(?:\s[^:#]*?)?)\s*::?(?!=)(?<needs>[^;#]*)(?:;(?<line>.*))?/;

function rulesIn(text: string): ReadonlyMap<string, Rule> {
  const rules = new Map<string, { needs: string[]; lines: string[] }>();
  let current: readonly string[] = [];
  for (const line of withVariables(text).split("\n")) {
    const { names, needs = "", line: inline } = HEADER.exec(line)?.groups ?? {};
    if (names !== undefined) {
      current = names.split(/\s+/);
      for (const name of current) ruleOf(name).needs.push(...needs.split(/[\s()]+/).filter(Boolean));
    }
    const command = (inline ?? /^\s+(\S.*)$/.exec(line)?.[1] ?? "").trim();
    // a recipe goes on after a line that begins with a dash
    if (command !== "" && !/^[@+]*-/.test(command))
      for (const name of current) ruleOf(name).lines.push(command.replace(/^[@+]+/, ""));
  }
  return rules;

  function ruleOf(name: string) {
    const rule = rules.get(name) ?? { needs: [], lines: [] };
    rules.set(name, rule);
    return rule;
  }
}

/** Fills in simple variables. `$(MAKE)` passes its options on, so it counts as `make -k`. */
function withVariables(text: string): string {
  const whole = text.replaceAll("\\\n", " ");
  const found = whole.matchAll(/^(?:export\s+)?(\w+)\s*[:?+]?:?=[ \t]*(.*)$/gm);
  const values = new Map([...found].map(([, name = "", value = ""]) => [name, value.trim()]));
  values.set("MAKE", "make -k");
  const filled = (line: string): string =>
    line.replaceAll(/\$[({](\w+)[)}]/g, (all, name: string) => values.get(name) ?? all);
  return filled(filled(whole)).replaceAll("$$", "$");
}
