import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { join } from "node:path";
import { fail, ok, type Result } from "../../trouble.ts";
import { isFile, makePrivateDirectory, namesIn, readText, troubleOf } from "../../system/files/files.ts";
import { writePrivateFile } from "../../system/files/private-file.ts";
import { stateHome } from "../../system/files/xdg.ts";
import type { Environment } from "../../system/process/environment.ts";
import { keyIdOf } from "./pass-record.ts";

export interface SigningKey {
  readonly key: KeyObject;
  readonly id: string;
  readonly publicPem: string;
  readonly source: string;
}

export const DEFAULT_KEY = "default";
const KEY_VARIABLE = "GAUNTLET_SIGNING_KEY";

/** Never replaces a key. */
export function createSigningKey(name: string, env: Environment): Result<SigningKey> {
  const path = keyFile(name, env);
  if (isFile(path))
    return fail({
      kind: "file-failed",
      action: "create",
      path,
      detail: "there is a key of this name already",
    });
  try {
    makePrivateDirectory(keysDir(env));
  } catch (error) {
    return troubleOf("create", keysDir(env), error);
  }
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  const written = writePrivateFile(path, pem);
  return written.ok ? ok(signingKey(privateKey, path)) : written;
}

export function findSigningKey(env: Environment): Result<SigningKey | undefined> {
  const given = env[KEY_VARIABLE]?.trim() ?? "";
  if (given.startsWith("-----BEGIN")) return parseKey(given, `$${KEY_VARIABLE}`);
  if (given !== "") return readKey(given);
  const path = keyFile(DEFAULT_KEY, env);
  return isFile(path) ? readKey(path) : ok(undefined);
}

export function namedSigningKey(name: string, env: Environment): Result<SigningKey> {
  return readKey(keyFile(name, env));
}

export function signingKeyNames(env: Environment): readonly string[] {
  return namesIn(keysDir(env)).flatMap((file) => /^(.+)\.pem$/.exec(file)?.[1] ?? []);
}

function readKey(path: string): Result<SigningKey> {
  const text = readText(path);
  return text.ok ? parseKey(text.value, path) : text;
}

function parseKey(pem: string, source: string): Result<SigningKey> {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return ok(signingKey(key, source));
    return unusable(source, `it is a key of type ${key.asymmetricKeyType}, not ed25519`);
  } catch {
    return unusable(source, "it is not a private key in PEM form");
  }
}

function signingKey(key: KeyObject, source: string): SigningKey {
  const publicKey = createPublicKey(key);
  const publicPem = publicKey.export({ format: "pem", type: "spki" }).toString();
  return { key, id: keyIdOf(publicKey), publicPem, source };
}

function unusable(path: string, detail: string): ReturnType<typeof fail> {
  return fail({ kind: "file-failed", action: "use the signing key", path, detail });
}

function keysDir(env: Environment): string {
  return join(stateHome(env), "keys");
}

function keyFile(name: string, env: Environment): string {
  return join(keysDir(env), `${name}.pem`);
}
