import { createPublicKey } from "node:crypto";
import * as z from "zod";
import type { CacheSettings, RemoteSettings, TrustedKey, WorkersSettings } from "../../settings.ts";
import type { ConfigFiles } from "../config-files.ts";
import { expects, innerPath, text, wholeNumber } from "./schema-parts.ts";
import type { YamlSource } from "../../yaml/yaml-source.ts";

const CACHE_URL = "a URL that begins with http://, https://, redis:// or rediss://";

/** A place on the network. Its credentials are secret and do not belong in committed files. */
function address(expected: string, protocols: readonly string[], variable: string) {
  return text(expected)
    .refine((url) => protocols.includes(parsed(url)?.protocol ?? ""), { error: `must be ${expected}` })
    .refine((url) => (parsed(url)?.username ?? "") + (parsed(url)?.password ?? "") === "", {
      error: `must not hold a user or a password: set ${variable} in the environment instead`,
    });
}

const cacheSchema = z.strictObject(
  {
    url: address(CACHE_URL, ["http:", "https:", "redis:", "rediss:"], "GAUNTLET_CACHE_AUTH").describe(
      "The store: `https://…/ac` (GET and PUT of `/ac/<sha256>`), or `redis://…`.",
    ),
    trust: z
      .array(
        innerPath("a file with a public key").refine((file) => file.startsWith(".gauntlet/"), {
          error: "must be in `.gauntlet/`, where changes of whom to trust are seen",
        }),
      )
      .min(1)
      .describe("Files with the public keys whose passes count (`agent-gauntlet keys show --public`)."),
    write: z
      .enum(["never", "ci", "always"])
      .default("ci")
      .describe("Where passes are written, given a signing key: nowhere, on build servers, or everywhere."),
    expires_days: wholeNumber
      .min(1)
      .max(365)
      .default(30)
      .describe("For how many days a pass that is written holds."),
    budget_ms: wholeNumber
      .min(1)
      .max(60_000)
      .default(150)
      .describe("For all look-ups of a run together, in milliseconds; after that the gates simply run."),
    env: z
      .array(text("the name of an environment variable"))
      .optional()
      .describe("The variables that can change a result; a pass is used where these are the same. All but those of a machine when absent."),
  },
  { error: expects("a map with `url` and `trust`") },
);

const workersSchema = z.strictObject(
  {
    url: address(
      "a URL that begins with redis:// or rediss://",
      ["redis:", "rediss:"],
      "GAUNTLET_WORKERS_AUTH",
    ).describe("The queue: Redis or Valkey."),
    tree: text("the address of a git repository")
      .refine((url) => !url.startsWith("-"), { error: "must not begin with `-`" })
      .describe("The git repository that the files are pushed to and the workers fetch from."),
    fallback: z
      .enum(["local", "error"])
      .default("local")
      .describe("When no worker can be had: run the gate here, or fail to run it."),
    pickup_seconds: z
      .number()
      .positive()
      .max(3600)
      .default(5)
      .describe("How long a gate may wait for a worker to take it."),
  },
  { error: expects("a map with `url` and `tree`") },
);

export const remoteSchema = z.strictObject({
  cache: cacheSchema.optional().describe("Passes shared between machines: see docs/fleet.md."),
  workers: workersSchema.optional().describe("Machines that run gates with `run_on: workers`."),
});

export type RemoteFields = z.output<typeof remoteSchema>;

/** The settings with the keys themselves, so that a change of a key file is a change of the settings. */
export async function readRemote(
  { cache, workers }: RemoteFields,
  config: YamlSource,
  files: ConfigFiles,
): Promise<RemoteSettings> {
  return {
    cache: cache && (await readCache(cache, config, files)),
    workers: workers && toWorkers(workers),
  };
}

function toWorkers(fields: NonNullable<RemoteFields["workers"]>): WorkersSettings {
  const { url, tree, fallback } = fields;
  return { url, tree, fallback, pickupMs: Math.round(fields.pickup_seconds * 1000) };
}

async function readCache(
  fields: NonNullable<RemoteFields["cache"]>,
  config: YamlSource,
  files: ConfigFiles,
): Promise<CacheSettings> {
  const trust: TrustedKey[] = [];
  for (const [at, file] of fields.trust.entries()) {
    const pem = await files.read(file);
    const problem = typeof pem === "string" ? "cannot be read" : whyNoKey(pem.content);
    if (typeof pem !== "string" && problem === undefined) trust.push({ file, pem: pem.content });
    else if (pem !== "unreadable") {
      const hint = "`agent-gauntlet keys show --public` prints the public half of a signing key";
      const message = `\`${file}\` ${pem === "missing" ? "does not exist" : problem}`;
      files.report(config.complain(["remote", "cache", "trust", at], { message, hint, at: "value" }));
    }
  }
  const { url, write, expires_days, budget_ms: budgetMs, env } = fields;
  const expiresMs = expires_days * 86_400_000;
  return { url: url.replace(/\/+$/, ""), write, trust, expiresMs, budgetMs, env };
}

function whyNoKey(pem: string): string | undefined {
  if (pem.includes("PRIVATE KEY"))
    return "holds a private key: whoever can read it can sign; replace that key";
  try {
    const type = createPublicKey(pem).asymmetricKeyType;
    return type === "ed25519" ? undefined : `holds a key of type ${type}, not ed25519`;
  } catch {
    return "holds no public key in PEM form";
  }
}

function parsed(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
