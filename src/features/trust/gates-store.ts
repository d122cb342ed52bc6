import { join } from "node:path";
import type { GatesDefinition } from "../../config/settings.ts";
import { isFlag, isNumber, isText, listOf, mapOf, objectOf, oneOf } from "../../shape.ts";
import type { Result } from "../../trouble.ts";
import { keepNewest, makePrivateDirectory, namesIn, troubleOf } from "../../system/files/files.ts";
import { sha256 } from "#runtime";
import { stateHome } from "../../system/files/xdg.ts";
import type { Environment } from "../../system/process/environment.ts";
import { jsonFile } from "../../system/state/json-file.ts";
import { projectStateDir } from "../../system/state/state-keys.ts";

const isDefinition = objectOf({
  entryPoints: listOf(objectOf({ path: isText, gates: listOf(objectOf({ name: isText })) })),
  scripts: mapOf(objectOf({ hash: isText })),
  stopHook: objectOf({ enabled: isFlag }),
  gateHash: isText,
  definitionHash: isText,
});

const definitions = jsonFile<GatesDefinition>(2, isDefinition, sha256);

const KEPT_DEFINITIONS = 200;

/** Keeps the gates of a session under their hash: many sessions have the same. */
export function keepDefinition(root: string, found: GatesDefinition, env: Environment): void {
  const directory = definitionsOf(root, env);
  const path = join(directory, fileName(found.definitionHash));
  if (readDefinition({ root, hash: found.definitionHash }, env) !== undefined) return;
  try {
    makePrivateDirectory(directory);
  } catch {
    return; // without it a change is reported without details
  }
  definitions.write(path, found);
  keepNewest(directory, KEPT_DEFINITIONS);
}

export function readDefinition(
  { root, hash }: { readonly root: string; readonly hash: string },
  env: Environment,
): GatesDefinition | undefined {
  const { value } = definitions.read(join(definitionsOf(root, env), fileName(hash)));
  return value?.definitionHash === hash ? value : undefined;
}

function definitionsOf(root: string, env: Environment): string {
  return join(projectStateDir(root, env), "gates");
}

function fileName(hash: string): string {
  return `${hash.replaceAll(/[^\w]/g, "-")}.json`;
}

export interface Consent {
  readonly root: string;
  readonly decision: "allowed" | "denied";
  readonly at: number;
  readonly hash: string;
  readonly definition?: GatesDefinition;
}

/** The seal covers the definition only: gates with the same hash run without it. */
const consents = jsonFile<Consent & { readonly seal?: string }>(
  2,
  objectOf({ root: isText, decision: oneOf("allowed", "denied"), at: isNumber, hash: isText }),
);

function sealOf(definition: GatesDefinition): string {
  return sha256(JSON.stringify(definition));
}

function readWhole(path: string): Consent | undefined {
  const { value } = consents.read(path);
  if (value === undefined) return undefined;
  const { seal, definition, ...consent } = value;
  return isDefinition(definition) && seal === sealOf(definition) ? { ...consent, definition } : consent;
}

/** Outside of the project's state, which `clean --all` removes. */
export function readConsent(root: string, env: Environment): Consent | undefined {
  return readWhole(consentFile(root, env));
}

export function writeConsent(consent: Consent, env: Environment): Result<void> {
  const path = consentFile(consent.root, env);
  try {
    makePrivateDirectory(join(stateHome(env), "allowed"));
  } catch (error) {
    return troubleOf("write", path, error);
  }
  const { definition } = consent;
  return consents.write(path, definition === undefined ? consent : { ...consent, seal: sealOf(definition) });
}

export function listConsents(env: Environment): readonly Consent[] {
  const directory = join(stateHome(env), "allowed");
  return namesIn(directory)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => readWhole(join(directory, name)) ?? [])
    .toSorted((one, other) => (one.root < other.root ? -1 : 1));
}

function consentFile(root: string, env: Environment): string {
  const key = projectStateDir(root, env).split(/[/\\]/).at(-1) ?? "";
  return join(stateHome(env), "allowed", `${key}.json`);
}
