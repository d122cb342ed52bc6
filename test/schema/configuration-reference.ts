import { stringify } from "yaml";
import * as z from "zod";
import { checkSchema, reviewSchema } from "../../src/config/gauntlet/schema/gate-schema.ts";
import { configSchema } from "../../src/config/gauntlet/schema/schema.ts";

type Schema = z.core.JSONSchema.JSONSchema;

interface Section {
  readonly title: string;
  readonly intro: string;
  readonly keys: readonly Key[];
}

interface Key {
  /** From the top of the file: `["stop_hook", "on"]`. */
  readonly path: readonly string[];
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** For keys whose type suggests no example; by the name that the heading shows. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  extends: "@acme/gates",
  base_branch: "origin/develop",
  log_dir: "build/gauntlet_logs",
  max_parallel: 4,
  max_retries: 5,
  "baseline.setup": "npm ci",
  entry_points: "auto",
  on_give_up: 'notify-send "Gauntlet gave up" "$GAUNTLET_FAILED"',
  "cli.default_preference": ["claude", "command: ./scripts/review.sh"],
  "cli.adapters": { codex: { thinking_budget: "low" } },
  "stop_hook.run_interval_minutes": 10,
  "stop_hook.timeout": "10m",
  "stop_hook.max_reason_chars": 4000,
  "stop_hook.agent_types": ["coder"],
  "debug_log.max_size_mb": 5,
  working_directory: "web",
  timeout: "2m",
  env: { NODE_ENV: "test" },
  shell: "bash",
  fix: "npm run lint -- --fix",
  parser: "tsc",
  report: "reports/junit.xml",
  reruns: 2,
  inputs: ["src", "test", "package-lock.json"],
  toolchain: ["node --version"],
  platform: "linux-arm64",
  on: ["stop"],
  fix_with_skill: "fix-tests",
  model: "gpt-5.3-codex",
  num_reviews: 2,
  max_rounds: 3,
  cli_preference: ["codex", "claude"],
  exclude: ["web/generated", "**/*.snap"],
};

const CHECK = { command: "npm test" };

/** For keys that mean something only beside others. */
const WHOLE_EXAMPLES: Readonly<Record<string, object>> = {
  "stop_hook.on": { stop_hook: { on: ["stop", "subagent_stop"], agent_types: ["coder"] } },
  "remote.cache": {
    remote: { cache: { url: "https://cache.example.org/ac", trust: [".gauntlet/keys/ci-2026.pub"] } },
  },
  "remote.workers": {
    remote: { workers: { url: "redis://queue.example.org", tree: "ssh://git.example.org/work.git" } },
  },
  needs: { checks: { types: "npx tsc --noEmit", test: { ...CHECK, needs: ["types"] } } },
  "parser.kind": {
    checks: { rules: { command: "make rules", parser: { pattern: "^(?<file>[^:]+): (?<message>.+)", kind: "build" } } },
  },
  run_on: {
    checks: { test: { ...CHECK, run_on: "workers" } },
    remote: { workers: { url: "redis://queue.example.org", tree: "ssh://git.example.org/work.git" } },
  },
  edit_timeout: { checks: { lint: { command: "npx eslint {files}", on: ["edit"], edit_timeout: 10 } } },
  edit_fix: {
    checks: {
      format: {
        command: "npx prettier --check {files}",
        fix: "npx prettier --write {files}",
        on: ["edit"],
        edit_fix: true,
      },
    },
  },
  files: { checks: { lint: { command: "npx eslint {files}", files: ["*.ts", "!*.d.ts"] } } },
};

/** docs/configuration-reference.md: a heading for each key, with what the schema knows of it. */
export function configurationReference(): string {
  const parts = [
    "# Configuration reference",
    "Every key of agent-gauntlet's configuration, written from its schema by `npm run schema`. [Configuration](configuration.md) explains how to use them.",
    "All keys exist since 0.1. A _duration_ is a number of seconds, or text such as `90s`, `2m` or `1.5h`.",
    ...sections().flatMap(({ title, intro, keys }) => [`## ${title}`, intro, ...keys.flatMap(entryOf)]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function sections(): readonly Section[] {
  const config = jsonOf(configSchema);
  return [
    {
      title: "Keys of config.yml",
      intro: "All of them are optional. `config.local.yml` has the same keys, except `extends` and `entry_points`.",
      keys: keysOf(config),
    },
    {
      title: "Keys of a check",
      intro: "In `checks` of config.yml, or in `.gauntlet/checks/<name>.yml`.",
      keys: keysOf(jsonOf(checkSchema), ["checks", "test"]),
    },
    {
      title: "Keys of a review",
      intro: "In `reviews` of config.yml, in the front matter of `.gauntlet/reviews/<name>.md`, or in `<name>.yml` there.",
      keys: keysOf(jsonOf(reviewSchema), ["reviews", "api"]),
    },
    {
      title: "Keys of an entry point",
      intro: "Each item of `entry_points`.",
      keys: keysOf(itemOf(config, "entry_points"), ["entry_points"]),
    },
  ];
}

function jsonOf(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, { target: "draft-07", io: "input" });
}

/** The keys of a map and of the maps in it, with each map before its keys. */
function keysOf(schema: Schema, above: readonly string[] = []): readonly Key[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    if (typeof value === "boolean") return [];
    const path = [...above, name];
    const inner = waysOf(value).find(({ properties }) => properties !== undefined);
    const isRequired = schema.required?.includes(name) === true;
    return [{ path, schema: value, isRequired }, ...(inner === undefined ? [] : keysOf(inner, path))];
  });
}

function itemOf(config: Schema, key: string): Schema {
  const value = config.properties?.[key];
  const ways = typeof value === "object" ? waysOf(value) : [];
  const item = ways.map(({ items }) => items).find((items) => typeof items === "object");
  if (typeof item !== "object" || Array.isArray(item)) throw new Error(`${key} is no list of maps`);
  return item;
}

function waysOf(schema: Schema): readonly Schema[] {
  return (schema.anyOf ?? [schema]).filter((way) => typeof way === "object");
}

function entryOf({ path, schema, isRequired }: Key): readonly string[] {
  const isInGate = path[0] === "checks" || path[0] === "reviews" || path[0] === "entry_points";
  const name = isInGate && path.length > 1 ? path.slice(path[0] === "entry_points" ? 1 : 2) : path;
  const facts = [`Type: ${typeOf(schema)}`];
  if (isRequired) facts.push("required");
  else if (schema.default !== undefined) facts.push(`default: \`${JSON.stringify(schema.default)}\``);
  const heading = name.join(".");
  const example = exampleOf(path, heading, schema);
  return [
    `### \`${heading}\``,
    schema.description ?? "",
    `${facts.join(" · ")}.`,
    ...(example === undefined ? [] : [`\`\`\`yaml\n${example}\`\`\``]),
  ];
}

function typeOf(schema: Schema): string {
  return [...new Set(waysOf(schema).map(typeOfOne))].join(" or ");
}

function typeOfOne(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  const { minimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const limit = maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : " or more";
  switch (schema.type) {
    case "boolean":
      return "true or false";
    case "integer":
      return minimum === undefined ? "whole number" : `whole number, ${minimum}${limit}`;
    case "number":
      return "number";
    case "string":
      return schema.pattern?.includes("[smh]") === true ? "duration" : "text";
    case "array":
      return typeof schema.items === "object" && !Array.isArray(schema.items)
        ? `list of ${typeOf(schema.items)}`
        : "list";
    case "object":
      return "map";
    case "null":
    case undefined:
      break;
  }
  return "anything";
}

/** A file as it would be written, so that it can be copied. */
function exampleOf(path: readonly string[], heading: string, schema: Schema): string | undefined {
  const whole = WHOLE_EXAMPLES[heading];
  if (whole !== undefined) return stringify(whole);
  const value = EXAMPLES[heading] ?? guessExample(schema);
  if (value === undefined || path[0] === "remote") return undefined;
  const [top, ...below] = path;
  if (top === "entry_points" && below.length > 0)
    return stringify({ entry_points: [{ path: "web", ...nested(below, value) }] });
  if (top === "checks" && below.length > 0)
    return `# .gauntlet/checks/test.yml\n${stringify({ ...CHECK, ...nested(below.slice(1), value) })}`;
  if (top === "reviews" && below.length > 0) {
    const review = { builtin: "security", cli_preference: ["claude"], ...nested(below.slice(1), value) };
    return `# .gauntlet/reviews/security.yml\n${stringify(review)}`;
  }
  return stringify(nested(path, value));
}

function nested(path: readonly string[], value: unknown): Record<string, unknown> {
  const [key = "", ...rest] = path;
  return { [key]: rest.length === 0 ? value : nested(rest, value) };
}

/** What somebody would write who does not want the default. */
function guessExample(schema: Schema): unknown {
  const [way] = waysOf(schema);
  if (way?.type === "boolean") return schema.default !== true;
  if (way?.enum !== undefined) return way.enum.findLast((value) => value !== schema.default);
  return undefined;
}
