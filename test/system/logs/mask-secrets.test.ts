import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { secretMasker } from "../../../src/system/logs/mask-secrets.ts";
import { readCorpus } from "../../feedback/corpus/read-corpus.ts";

describe("values of secret-looking variables", () => {
  const env = {
    DATABASE_PASSWORD: "correct horse+battery",
    API_TOKEN: "abcd1234efgh",
    SSH_AUTH_SOCK: "/tmp/ssh-agent.1",
    TOKEN_FILE: "/run/secrets/token",
    AUTH_ENABLED: "true",
    SHORT_SECRET: "abc",
    EDITOR: "some-editor-name",
    SIGNING_KEY: "first line of the key\nsecond line of the key",
  };
  const mask = secretMasker(env);

  test.each([
    ["as they are", "login with correct horse+battery failed", "login with *** failed"],
    ["in a URL", `GET /?p=${encodeURIComponent("correct horse+battery")}`, "GET /?p=***"],
    ["as base64", `auth: ${btoa("correct horse+battery")}`, "auth: ***"],
    ["line by line", "got second line of the key!", "got ***!"],
    ["twice", "abcd1234efgh abcd1234efgh", "*** ***"],
  ])("are hidden %s", (_, text, masked) => {
    expect(mask(text)).toBe(masked);
  });

  test("are hidden wherever they stand in a long text", () => {
    const places = Array.from({ length: 30 }, (_, index) => 65_536 - index);
    for (const place of places) {
      const before = "x".repeat(place);
      expect(mask(`${before}abcd1234efgh`) === `${before}***`, `at ${place}`).toBe(true);
    }
  });

  test.each([
    "STRIPE_KEY",
    "OPENAI_KEY",
    "SSH_KEY",
    "JWT",
    "SESSION",
    "APP_SESSION",
    "REGISTRY_AUTH",
    "REGISTRY_AUTH_HEADER",
    "SENTRY_DSN",
    "SLACK_WEBHOOK_URL",
  ])("are hidden when the variable is called %s", (name) => {
    expect(secretMasker({ [name]: "k3y-0f-s0me-k1nd" })("got k3y-0f-s0me-k1nd!")).toBe("got ***!");
  });

  test.each([
    "GIT_AUTHOR_EMAIL",
    "DESKTOP_SESSION",
    "XDG_SESSION_ID",
    "CACHE_KEY",
    "PUBLIC_KEY",
    "TOKEN_URL",
  ])("are shown when the variable is called %s", (name) => {
    expect(secretMasker({ [name]: "nothing-secret" })("got nothing-secret!")).toBe("got nothing-secret!");
  });

  test.each(["me", "ci", "bot", "somebody"])("are hidden in the base64 of %s:value", (user) => {
    const encoded = btoa(`${user}:abcd1234efgh5678`);
    const masked = secretMasker({ API_TOKEN: "abcd1234efgh5678" })(`header ${encoded} sent`);

    expect(masked).toContain("***");
    expect(atob(/header (\S*?)\*/.exec(masked)?.[1] ?? "")).not.toContain("abcd");
  });

  test.each([
    ["paths", "/tmp/ssh-agent.1 /run/secrets/token"],
    ["switches and short values", "true abc"],
    ["other variables", "some-editor-name"],
  ])("leave %s alone", (_, text) => {
    expect(mask(text)).toBe(text);
  });
});

describe("shapes of common tokens", () => {
  const mask = secretMasker({});
  const filler = "A1b2C3d4E5f6G7h8I9j0".repeat(3);

  test.each([
    `ghp_${filler.slice(0, 36)}`,
    `github_pat_${filler}`,
    `sk-ant-api03-${filler}`,
    `xoxb-${filler.slice(0, 20)}`,
    "AKIAIOSFODNN7EXAMPLE",
    `npm_${filler.slice(0, 36)}`,
    `eyJ${filler}.eyJ${filler}.${filler}`,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc+/=\n-----END RSA PRIVATE KEY-----",
    String.raw`-----BEGIN PRIVATE KEY-----\nMIIEabc+/=\nabc=\n-----END PRIVATE KEY-----\n`.slice(0, -2),
    `glpat-${filler.slice(0, 20)}`,
    `sk_live_${filler.slice(0, 24)}`,
    `dckr_pat_${filler.slice(0, 27)}`,
    `hvs.${filler.slice(0, 30)}`,
  ])("hides %s", (token) => {
    expect(mask(`before ${token} after`)).toBe("before *** after");
  });

  test("keeps the words before a secret", () => {
    expect(mask(`Authorization: Bearer ${filler}`)).toBe("Authorization: Bearer ***");
    expect(mask("postgres://user:hunter22@localhost:5432/db")).toBe("postgres://user:***@localhost:5432/db");
  });

  test.each([
    [`//registry.example.com/:_authToken=${filler}`, "//registry.example.com/:_authToken=***"],
    [`GET /items?access_token=${filler}&page=2`, "GET /items?access_token=***&page=2"],
    [`git clone https://${filler.slice(0, 40)}@example.com/a.git`, "git clone https://***@example.com/a.git"],
    [`X-Api-Key: ${filler}`, "X-Api-Key: ***"],
    ["connect user=me password=hunter22 host=db", "connect user=me password=*** host=db"],
    [
      `https://hooks.slack.com/services/T00000000/B00000000/${filler.slice(0, 24)}`,
      "https://hooks.slack.com/services/***",
    ],
    [`Basic ${btoa("me:s3cr3t-t0ken-42")}`, "Basic ***"],
  ])("hides the secret in %s", (text, masked) => {
    expect(mask(text)).toBe(masked);
  });

  test.each([
    "http://localhost:8080/a/rather/long/path",
    "src/sk-folder/file.ts:3:4",
    "sha256 hash of the file",
    "https://git@github.com/owner/name.git",
    "usage: login --password=<password> --token=TOKEN",
    "password=None password=$PASSWORD password=*** password=string",
    "Basic usage of the command",
    "-----BEGIN PUBLIC KEY-----",
  ])("leaves %s alone", (text) => {
    expect(mask(text)).toBe(text);
  });

  test("gets through any number of beginnings of a token", () => {
    const text = "eyJhbGciOi-".repeat(30_000);

    expect(mask(text)).toBe(text);
  });
});

test("a value is found wherever it stands, whatever it holds and whatever is around it", () => {
  const text = fc.string({ unit: "binary", maxLength: 40 });
  const value = fc.string({ unit: "binary", minLength: 8, maxLength: 20 }).filter((one) => {
    return one.trim().length >= 8 && !/[\s\d/]/.test(one);
  });

  fc.assert(
    fc.property(text, value, text, (before, secret, after) => {
      expect(
        secretMasker({ API_TOKEN: secret, OTHER_SECRET: "abcdefgh" })(before + secret + after),
      ).not.toContain(secret);
    }),
  );
});

test("no log of the corpus holds anything that is hidden", () => {
  const mask = secretMasker({});
  const tools = fileURLToPath(new URL("../../fixtures/tools", import.meta.url));

  for (const { name, text } of [...readCorpus(tools), ...readCorpus(`${tools}/held`)])
    expect.soft(mask(text) === text, name).toBe(true);
});
