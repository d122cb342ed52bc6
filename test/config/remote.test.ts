import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { loadProject, told } from "./temp-project.ts";

const { privateKey } = generateKeyPairSync("ed25519");
const PUBLIC = createPublicKey(privateKey).export({ format: "pem", type: "spki" }).toString();
const PRIVATE = privateKey.export({ format: "pem", type: "pkcs8" }).toString();

const cacheOf = (cache: string): string => `checks: { a: "true" }\nremote: { cache: ${cache} }\n`;

test("remote.cache holds the trusted keys themselves, and defaults that delay nothing", async () => {
  const loaded = await loadProject({
    ".gauntlet/config.yml": cacheOf("{ url: https://cache.example/ac/, trust: [.gauntlet/ci.pub] }"),
    ".gauntlet/ci.pub": PUBLIC,
  });

  expect(loaded.ok && loaded.value.settings.remote).toEqual({
    cache: {
      url: "https://cache.example/ac",
      write: "ci",
      trust: [{ file: ".gauntlet/ci.pub", pem: PUBLIC }],
      expiresMs: 30 * 86_400_000,
      budgetMs: 150,
    },
  });
});

test.for([
  ["{ url: ftp://cache.example, trust: [.gauntlet/ci.pub] }", "must be a URL that begins with http://"],
  ["{ url: nonsense, trust: [.gauntlet/ci.pub] }", "must be a URL"],
  ["{ url: https://me:secret@cache.example, trust: [.gauntlet/ci.pub] }", "set GAUNTLET_CACHE_AUTH"],
  ["{ url: https://cache.example, trust: [] }", "must have at least one entry"],
  ["{ url: https://cache.example }", "is missing"],
  ["{ url: https://cache.example, trust: [.gauntlet/no.pub] }", "`.gauntlet/no.pub` does not exist"],
  ["{ url: https://cache.example, trust: [ci.pub] }", "must be in `.gauntlet/`"],
  ["{ url: https://cache.example, trust: [../ci.pub] }", "must be a relative path inside"],
  ["{ url: https://cache.example, trust: [.gauntlet/private.pem] }", "holds a private key"],
  ["{ url: https://cache.example, trust: [.gauntlet/text.pub] }", "holds no public key"],
  [
    "{ url: https://cache.example, trust: [.gauntlet/ci.pub], write: sometimes }",
    "must be never, ci or always",
  ],
] as const)("%s is refused, with its place", async ([cache, message]) => {
  const loaded = await loadProject({
    ".gauntlet/config.yml": cacheOf(cache),
    ".gauntlet/ci.pub": PUBLIC,
    ".gauntlet/private.pem": PRIVATE,
    ".gauntlet/text.pub": "hello",
  });

  expect(loaded.ok).toBe(false);
  expect(told(loaded)).toContain(message);
  expect(told(loaded)).toContain(".gauntlet/config.yml:2:");
});
