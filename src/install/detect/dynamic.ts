import { parse } from "jsonc-parser";
import { type Detector, rows } from "./project.ts";

export const detectDeno: Detector = (project) => {
  const source = project.find("deno.json", "deno.jsonc");
  if (source === undefined) return [];
  const tasks = Object.keys((parse(project.text(source)) as { tasks?: object } | undefined)?.tasks ?? {}); // null and scalars have no tasks
  const own = (name: string, builtin: string): string =>
    tasks.includes(name) ? `deno task ${name}` : builtin;
  const hasTests = project.hasFile(/(?:^|[/_.])test\.[jt]sx?$/);
  return rows(
    { name: "format", command: own("fmt:check", "deno fmt --check"), source, when: true },
    { name: "lint", command: own("lint", "deno lint"), source, when: true },
    { name: "test", command: own("test", "deno test"), source, when: tasks.includes("test") || hasTests },
  );
};

export const detectClojure: Detector = (project) => {
  const tasks = uncommented(project.text("bb.edn"));
  const deps = uncommented(project.text("deps.edn"));
  const alias = mapAfter(deps, /:test\s*\{/);
  const option = alias?.includes(":exec-fn") === true ? "-X:test" : "-M:test";
  const sources = ["src", "test"].filter((directory) =>
    project.hasFile(new RegExp(`^${directory}/.*\\.clj[cs]?$`)),
  );
  return rows(
    {
      name: "lint",
      command: `clj-kondo --lint ${sources.join(" ")}`,
      source: ".clj-kondo/config.edn",
      when: project.hasFile(/^\.clj-kondo\/config\.edn$/) && sources.length > 0,
    },
    { name: "test", command: "bb test", source: "bb.edn", when: /:tasks\s*\{[^]*(?:\s|^)test\s/.test(tasks) },
    { name: "test", command: `clojure ${option}`, source: "deps.edn", when: alias !== undefined },
    { name: "test", command: "lein test", source: "project.clj", when: project.has("project.clj") },
  );
};

export const detectPhp: Detector = (project) => {
  const manifest = parse(project.text("composer.json")) as { scripts?: object } | undefined; // null and scalars have no scripts
  const scripts = Object.keys(manifest?.scripts ?? {});
  const phpunit = project.find("phpunit.xml", "phpunit.xml.dist");
  const phpstan = project.find("phpstan.neon", "phpstan.neon.dist");
  const source = "composer.json";
  return rows(
    { name: "lint", command: "composer run-script lint", source, when: scripts.includes("lint") },
    {
      name: "analyse",
      command: "vendor/bin/phpstan analyse --no-progress",
      source: phpstan ?? source,
      when: phpstan !== undefined,
    },
    { name: "test", command: "composer run-script test", source, when: scripts.includes("test") },
    { name: "test", command: "vendor/bin/phpunit", source: phpunit ?? source, when: phpunit !== undefined },
  );
};

export const detectRuby: Detector = (project) => {
  const source = "Gemfile";
  if (!project.has(source)) return [];
  return rows(
    {
      name: "lint",
      command: "bundle exec rubocop",
      source: ".rubocop.yml",
      when: project.has(".rubocop.yml"),
    },
    { name: "test", command: "bundle exec rspec", source, when: project.hasFile(/^spec\/.*_spec\.rb$/) },
    { name: "test", command: "bin/rails test", source, when: project.hasFile(/^bin\/rails$/) },
    {
      name: "test",
      command: "bundle exec rake test",
      source,
      when: project.hasFile(/^test\/.*_test\.rb$|^test\/test_.*\.rb$/),
    },
  );
};

export const detectElixir: Detector = (project) => {
  const source = "mix.exs";
  const isMix = project.has(source);
  return rows(
    {
      name: "format",
      command: "mix format --check-formatted",
      source,
      when: isMix && project.has(".formatter.exs"),
    },
    { name: "lint", command: "mix credo", source, when: project.says(/:credo\b/, source) },
    { name: "test", command: "mix test", source, when: isMix },
  );
};

export const detectDart: Detector = (project) => {
  const source = "pubspec.yaml";
  const tool = project.says(/^\s+sdk:\s*flutter\b/m, source) ? "flutter" : "dart";
  return rows(
    { name: "lint", command: `${tool} analyze`, source, when: project.has(source) },
    {
      name: "test",
      command: `${tool} test`,
      source,
      when: project.has(source) && project.hasFile(/^test\/.*_test\.dart$/),
    },
  );
};

/** EDN without its line comments, so that a commented-out alias is not found. */
function uncommented(edn: string): string {
  return edn.replaceAll(/;[^\n]*/g, "");
}

/** The text of the map whose opening brace ends the match, up to the brace that closes it. */
function mapAfter(edn: string, key: RegExp): string | undefined {
  const match = key.exec(edn);
  if (match === null) return undefined;
  const start = match.index + match[0].length;
  let depth = 1;
  let end = start;
  for (; end < edn.length && depth > 0; end += 1) {
    if (edn[end] === "{") depth += 1;
    if (edn[end] === "}") depth -= 1;
  }
  return edn.slice(start, end);
}
