import { describe, expect, test } from "vitest";
import { secretMasker } from "../../src/feedback/mask-secrets.ts";

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
  ])("hides %s", (token) => {
    expect(mask(`before ${token} after`)).toBe("before *** after");
  });

  test("keeps the words before a secret", () => {
    expect(mask(`Authorization: Bearer ${filler}`)).toBe("Authorization: Bearer ***");
    expect(mask("postgres://user:hunter22@localhost:5432/db")).toBe("postgres://user:***@localhost:5432/db");
  });

  test.each([
    "http://localhost:8080/a/rather/long/path",
    "src/sk-folder/file.ts:3:4",
    "sha256 hash of the file",
  ])("leaves %s alone", (text) => {
    expect(mask(text)).toBe(text);
  });

  test("gets through any number of beginnings of a token", () => {
    const text = "eyJhbGciOi-".repeat(30_000);

    expect(mask(text)).toBe(text);
  });
});
