import { expect, test } from "vitest";
import { RespReader, respCommand } from "../../../src/features/remote/resp.ts";

const REPLIES = "+OK\r\n:3\r\n$-1\r\n*3\r\n$5\r\nhe\r\nl\r\n$-1\r\n$4\r\nä€\r\n".replace("ä€", "äö");

test("replies are read whole, however they are cut into pieces", () => {
  const bytes = Buffer.from(REPLIES);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const reader = new RespReader();
    const values = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      reader.push(bytes.subarray(at * size, (at + 1) * size)),
    ).flat();
    expect(values).toEqual(["OK", 3, null, ["he\r\nl", null, "äö"]]);
  }
});

test("read as latin1, each letter of a text is a byte", () => {
  const bytes = Buffer.from([0, 13, 10, 128, 255]);

  const [text] = new RespReader("latin1").push(
    Buffer.concat([Buffer.from("$5\r\n"), bytes, Buffer.from("\r\n")]),
  );

  expect(Buffer.from(String(text), "latin1")).toEqual(bytes);
});

test("an error is a value", () => {
  expect(new RespReader().push(Buffer.from("-ERR no\r\n"))).toEqual([new Error("ERR no")]);
});

test.for(["HTTP/1.1 400 Bad Request\r\n", "$x\r\n", "*99999999999\r\n"])("%j is refused", (text) => {
  expect(() => new RespReader().push(Buffer.from(text))).toThrow();
});

test("lengths are bytes, not letters", () => {
  expect(respCommand(["SET", "ä"])).toBe("*2\r\n$3\r\nSET\r\n$2\r\nä\r\n");
});
