import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  BencodeDecoder,
  encode,
  MalformedBencode,
  type BencodeValue,
} from "../../../src/system/nrepl/bencode.ts";

const { value: anyValue } = fc.letrec<{ value: BencodeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.maxSafeInteger(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
    fc.array(tie("value")),
    fc.array(fc.tuple(fc.string({ unit: "grapheme" }), tie("value"))).map((entries) => new Map(entries)),
  ),
}));

function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const sorted = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

describe("bencode", () => {
  test("decode(encode(x)) is x, however the bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(anyValue), fc.array(fc.nat()), (values, places) => {
        const decoder = new BencodeDecoder();
        const bytes = Buffer.concat(values.map((value) => encode(value)));

        const decoded = cut(bytes, places).flatMap((chunk) => decoder.push(chunk));

        expect(decoded).toEqual(values);
      }),
    );
  });

  test("decodes byte by byte", () => {
    const decoder = new BencodeDecoder();
    const bytes = encode({ status: ["done"], value: "héllo", n: -42, empty: "", nested: { a: [[], {}] } });

    const decoded = Array.from(bytes, (byte) => decoder.push(Buffer.from([byte]))).flat();

    expect(decoded).toHaveLength(1);
    expect(encode(decoded[0] ?? "")).toEqual(bytes);
  });

  test("writes dictionary keys in byte order", () => {
    expect(encode({ b: 1, a: 2, é: 3, Z: 4 }).toString()).toBe("d1:Zi4e1:ai2e1:bi1e2:éi3ee");
  });

  test("keeps integers that no double can hold", () => {
    expect(new BencodeDecoder().push(Buffer.from("i123456789012345678901234567890e"))).toEqual([
      123456789012345678901234567890n,
    ]);
  });

  test("keeps only the beginning of a string that is too long, and goes on behind it", () => {
    const decoder = new BencodeDecoder(4);

    const decoded = ["10:01234", "56789", "2:ok"].flatMap((chunk) => decoder.push(Buffer.from(chunk)));

    expect(decoded).toEqual([Buffer.from("0123"), Buffer.from("ok")]);
  });

  test.each([
    ["an HTTP answer", "HTTP/1.1 400 Bad Request\r\n"],
    ["a prompt", "user=> "],
    ["an end without a beginning", "e"],
    ["an integer with letters", "i12x3e"],
    ["an integer without digits", "ie"],
    ["a length without end", "1".repeat(40)],
    ["a length beyond all memory", `${"9".repeat(20)}:`],
    ["a number as key", "di1ei2ee"],
    ["a list as key", "dlei1ee"],
    ["a key without value", "d1:ae"],
    ["nesting without end", "l".repeat(1000)],
  ])("refuses %s", (_, text) => {
    expect(() => new BencodeDecoder().push(Buffer.from(text))).toThrow(MalformedBencode);
  });
});
