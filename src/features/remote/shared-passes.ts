import { shellCommand } from "../../system/process/executables.ts";
import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import type { PlannedGate } from "../../gates/gate.ts";
import type { CacheSettings } from "../../config/settings.ts";
import { once } from "../../once.ts";
import { explain } from "../../trouble.ts";
import { now } from "../../system/clock.ts";
import { type Environment, withoutOwnCredentials } from "../../system/process/environment.ts";
import { environmentHash } from "../../system/process/environment-hash.ts";
import { runProcess } from "../../system/process/run-process.ts";
import { inTime, timeLimit } from "../../system/process/time-limit.ts";
import { machineVariables } from "../../system/process/volatile-variables.ts";
import { sha256 } from "#runtime";
import { httpStore } from "./http-store.ts";
import { judgeRecord, signedRecord } from "./pass-record.ts";
import { credentials, type PassStore } from "./pass-store.ts";
import { redisStore } from "./redis-store.ts";
import { findSigningKey } from "./signing-key.ts";

export interface SharedPasses {
  readonly find: (id: string) => string | undefined;
  readonly whyNot: (id: string) => string | undefined;
  readonly problem: string | undefined;
  readonly writes: boolean;
  readonly write: (ids: readonly string[]) => Promise<string | undefined>;
}

export interface Sharing {
  readonly cache: CacheSettings;
  readonly root: string;
  readonly env: Environment;
  readonly ci: boolean;
  /** Of written passes, if not that of this process. */
  readonly platform?: string;
  readonly tree: () => Promise<string | undefined>;
  /** What decides each gate's result, as in the local cache. */
  readonly gates: readonly { readonly planned: Pick<PlannedGate, "id" | "gate">; readonly key: string }[];
  readonly wanted: ReadonlySet<string>;
}

const WRITE_MS = 2000;

export async function openSharedPasses(sharing: Sharing): Promise<SharedPasses> {
  const { cache, env } = sharing;
  const keys = await sharedKeys(sharing);
  const store = openStore(cache.url, env);
  const { texts, problem } = await lookUp(store, keys, sharing);
  const wanted = { trust: cache.trust, now: now() };
  const platforms = new Map(
    sharing.gates.map(({ planned: { id, gate } }) => [id, platformOf(gate, sharing)]),
  );
  const judged = new Map(
    [...texts].map(([id, text]) => {
      const about = { key: keys.get(id) ?? "", gate: id, platform: platforms.get(id) ?? "" };
      return [id, judgeRecord(text, { ...about, ...wanted })] as const;
    }),
  );
  const isWriter = cache.write === "always" || (cache.write === "ci" && sharing.ci);
  return {
    find: (id) => {
      const found = judged.get(id);
      if (found?.kind !== "pass") return undefined;
      const { at, runner } = found.body;
      const where = store.placeOf(keys.get(id) ?? "");
      return `it passed elsewhere (${runner}, ${new Date(at).toISOString()}), signed with ${found.signer}: ${where}`;
    },
    whyNot: (id) => {
      const found = judged.get(id);
      if (found?.kind === "refused") return `its shared pass does not count: ${found.why}`;
      return keys.has(id) ? problem : "its toolchain cannot be determined, so its passes are not shared";
    },
    problem,
    writes: isWriter,
    write: async (ids) => (isWriter ? writePasses(store, keys, { ids, sharing }) : undefined),
  };
}

/** The local key, and what is constant on one machine only. */
async function sharedKeys(sharing: Sharing): Promise<ReadonlyMap<string, string>> {
  const { gates, root, env } = sharing;
  const environment = once(() => sharedEnvironment(sharing));
  const commands = new Set(gates.flatMap(({ planned: { gate } }) => toolchainOf(gate)));
  const printed = new Map(
    await Promise.all([...commands].map(async (one) => [one, await outputOf(one, root, env)] as const)),
  );
  return new Map(
    gates.flatMap(({ planned: { id, gate }, key }) => {
      const tools = toolchainOf(gate).map((command) => printed.get(command));
      if (tools.includes(undefined)) return [];
      const seen = seesAsker(gate, sharing) ? environment() : undefined;
      return [[id, sha256(JSON.stringify([key, platformOf(gate, sharing), tools, seen]))] as const];
    }),
  );
}

/** A gate on a worker has the environment of the worker, not of the run that asks. */
function seesAsker(gate: PlannedGate["gate"], { platform }: Sharing): boolean {
  return platform === undefined && (gate.kind !== "check" || gate.runOn === undefined);
}

/** The variables that the project names, or all but those about the machine. */
function sharedEnvironment({ cache: { env: names }, env }: Sharing): string {
  if (names === undefined) return environmentHash(env, machineVariables());
  return environmentHash(Object.fromEntries(names.map((name) => [name, env[name]])), () => false);
}

function toolchainOf(gate: PlannedGate["gate"]): readonly string[] {
  return gate.kind === "check" ? (gate.toolchain ?? []) : [];
}

/** `linux-x64`, `darwin-arm64`: where a pass of the gate comes from. */
function platformOf(gate: PlannedGate["gate"], { platform }: Sharing): string {
  const away = gate.kind === "check" && gate.runOn === "workers" ? gate.platform : undefined;
  return platform ?? away ?? `${process.platform}-${process.arch}`;
}

const TOOLCHAIN_MS = 2000;

async function outputOf(command: string, cwd: string, env: Environment): Promise<string | undefined> {
  const output: Buffer[] = [];
  const end = await runProcess({
    argv: shellCommand(command),
    cwd,
    env: withoutOwnCredentials(env),
    timeoutMs: TOOLCHAIN_MS,
    onOutput: (chunk) => output.push(chunk),
  });
  const isUsable = end.kind === "exited" && end.exitCode === 0;
  return isUsable ? Buffer.concat(output).toString().trim() : undefined;
}

async function lookUp(
  store: PassStore,
  keys: ReadonlyMap<string, string>,
  { wanted, cache: { budgetMs } }: Sharing,
): Promise<{ readonly texts: ReadonlyMap<string, string>; readonly problem: string | undefined }> {
  const asked = new Map([...keys].flatMap(([id, key]) => (wanted.has(id) ? [[key, id] as const] : [])));
  const texts = new Map<string, string>();
  if (asked.size === 0) return { texts, problem: undefined };
  const signal = limited(budgetMs);
  const onFound = (key: string, text: string): void => void texts.set(asked.get(key) ?? "", text);
  const problem = await inTime(store.get({ keys: [...asked.keys()], onFound, signal }), signal);
  return {
    texts,
    problem: signal.aborted
      ? `the shared cache did not answer within ${budgetMs} ms`
      : problem && `the shared cache: ${problem}`,
  };
}

async function writePasses(
  store: PassStore,
  keys: ReadonlyMap<string, string>,
  { ids, sharing }: { readonly ids: readonly string[]; readonly sharing: Sharing },
): Promise<string | undefined> {
  const { cache, env } = sharing;
  const found = findSigningKey(env);
  if (!found.ok) return `passes are not shared: ${explain(found.trouble)}`;
  const signer = found.value;
  if (signer === undefined)
    return sharing.ci ? "passes are not shared: GAUNTLET_SIGNING_KEY is not set" : undefined;
  const at = now();
  const tree = (await sharing.tree()) ?? null;
  const told = { v: 1, tree, status: "passed", at, expires: at + cache.expiresMs } as const;
  const ours = sharing.gates.filter(({ planned }) => ids.includes(planned.id) && ranHere(planned, sharing));
  const entries = new Map(
    ours.flatMap(({ planned: { id, gate } }) => {
      const key = keys.get(id);
      const where = { runner: runnerOf(env), platform: platformOf(gate, sharing) };
      const body = { ...told, key: key ?? "", gate: id, ...where };
      return key === undefined ? [] : [[key, signedRecord(body, signer.key)] as const];
    }),
  );
  const signal = limited(WRITE_MS);
  const problem = await inTime(store.put({ entries, expiresMs: cache.expiresMs, signal }), signal);
  const lost = signal.aborted ? `the store did not answer within ${WRITE_MS} ms` : problem;
  return lost && `passes could not be shared: ${lost}`;
}

/** Passes of gates on workers are signed by the worker. */
function ranHere({ gate }: Pick<PlannedGate, "gate">, { platform }: Sharing): boolean {
  return platform !== undefined || gate.kind !== "check" || gate.runOn === undefined;
}

function runnerOf(env: Environment): string {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  const build =
    server && repository && run ? `${server}/${repository}/actions/runs/${run}` : env["CI_JOB_URL"];
  return (build || hostname()).slice(0, 500);
}

function limited(ms: number): AbortSignal {
  const signal = timeLimit(ms);
  setMaxListeners(0, signal); // every request listens to it
  return signal;
}

function openStore(url: string, env: Environment): PassStore {
  const login = credentials(env, "GAUNTLET_CACHE_AUTH");
  return /^rediss?:/.test(url) ? redisStore(url, login) : httpStore(url, login);
}
