import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { judgeRecord, type PassBody, signedRecord } from "../../../src/features/remote/pass-record.ts";

const { privateKey } = generateKeyPairSync("ed25519");
const pem = createPublicKey(privateKey).export({ format: "pem", type: "spki" }).toString();
const BODY: PassBody = {
  v: 1,
  key: "a".repeat(64),
  gate: "check:.:unit",
  tree: null,
  status: "passed",
  at: 1000,
  runner: "ci",
  platform: "linux-x64",
  expires: 2000,
};
const WANTED = {
  key: BODY.key,
  gate: BODY.gate,
  platform: BODY.platform,
  now: 1500,
  trust: [{ file: "ci.pub", pem }],
};

test("a record counts for its key, its gate and its time", () => {
  expect(judgeRecord(signedRecord(BODY, privateKey), WANTED)).toEqual({
    kind: "pass",
    body: BODY,
    signer: "ci.pub",
  });
});

test.for([
  ["another key", { key: "b".repeat(64) }],
  ["another gate", { gate: "check:.:lint" }],
  ["another platform", { platform: "darwin-arm64" }],
  ["its time is over", { now: 2000 }],
  ["it is from the future", { now: -400_000 }],
  ["nobody is trusted", { trust: [] }],
])("a good record does not count when %s is asked for", ([, wanted]) => {
  expect(judgeRecord(signedRecord(BODY, privateKey), { ...WANTED, ...(wanted as object) }).kind).toBe(
    "refused",
  );
});

test("no record with any one byte changed counts", () => {
  const record = signedRecord(BODY, privateKey);
  const changed = Array.from(record, (letter, at) => {
    const other = letter === "0" ? "1" : "0";
    return `${record.slice(0, at)}${other}${record.slice(at + 1)}`;
  });

  const passed = changed.filter((text) => judgeRecord(text, WANTED).kind === "pass");

  // The last letter of base64 before its padding holds bits that mean nothing.
  expect(passed.every((text) => text.slice(0, -6) === record.slice(0, -6))).toBe(true);
});

test("no part of a record counts, and none with a field more or twice", () => {
  const record = signedRecord(BODY, privateKey);
  const parts = Array.from(record, (_, length) => record.slice(0, length));
  const more = record.replace('"body":{', '"body":{"extra":1,');
  const twice = record.replace('"body":{', `"body":{"gate":"check:.:other",`);

  expect([...parts, more].filter((text) => judgeRecord(text, WANTED).kind === "pass")).toEqual([]);
  expect(judgeRecord(twice, { ...WANTED, gate: "check:.:other" }).kind).toBe("refused");
});
