import { describe, expect, test } from "vitest";
import { MaskedOutput } from "../../../src/system/logs/masked-output.ts";

const SECRET = "correct-horse-battery";
const MEGABYTE = 1024 * 1024;

function written(chunks: readonly string[]): string {
  const kept: Buffer[] = [];
  const output = new MaskedOutput(
    (text) => text.replaceAll(SECRET, "***"),
    (chunk) => kept.push(Buffer.from(chunk)),
  );
  for (const chunk of chunks) output.push(Buffer.from(chunk));
  output.end();
  return Buffer.concat(kept).toString();
}

function lines(count: number, text: string): string {
  return `${text}\n`.repeat(count);
}

describe("output on its way to a log", () => {
  test("comes through whole while a log could keep it, with secrets hidden across chunks", () => {
    const text = lines((9 * MEGABYTE) / 10, "012345678");

    expect(written([text, "a correct-horse", "-battery\n", "end"])).toBe(`${text}a ***\nend`);
  });

  test("loses its middle when there is more, and says how much", () => {
    const block = lines(MEGABYTE / 10, "012345678");

    const kept = written([...Array.from({ length: 30 }, () => block), "the end\n"]);

    const dropped = Number(/\[… (\d+) bytes dropped …\]/.exec(kept)?.[1]);
    expect(kept.endsWith("the end\n")).toBe(true);
    expect(kept.length - "\n[… 00000000 bytes dropped …]\n".length + dropped).toBe(30 * block.length + 8);
  });

  test("is left out from the line that was cut to its end", () => {
    const head = lines(MEGABYTE, "012345678");
    const flood = lines(9 * MEGABYTE, "");
    const long = "x".repeat(MEGABYTE / 2);
    const full = lines(8 * MEGABYTE - "the same line\n".length - 1000, "");

    const kept = written([head, flood, long, "the same line\n", full, "after\n"]);

    expect(kept).toMatch(/\n\[… \d+ bytes dropped …\]\n\n+after\n$/);
    expect(kept).not.toContain("the same line");
  });

  test.each(["", "\n"])("keeps the end of a line that never ends, or only at last: %j", (newline) => {
    const head = lines(MEGABYTE, "012345678");
    const endless = "x".repeat(MEGABYTE);

    const kept = written([head, ...Array.from({ length: 12 }, () => endless), `the end${newline}`]);

    expect(kept.slice(-100)).toMatch(/xxx+the end\n?$/);
    expect(kept.length).toBeLessThan(head.length + 8 * MEGABYTE);
  });

  test.each([0, 5, 13, 20])("shows no half of a secret where an endless line was cut", (offset) => {
    const head = lines(MEGABYTE, "012345678");
    const endless = " ".repeat(offset) + SECRET.repeat((12 * MEGABYTE) / SECRET.length);

    const kept = written([head, endless]);

    expect(kept).toContain("bytes dropped");
    expect(kept).toMatch(/\*\*\*$/);
    expect(kept.slice(kept.indexOf("dropped"))).toMatch(/^dropped …\]\n[*]+$/);
  });

  test("does not look everywhere for a place to cut what is all one secret", () => {
    let looks = 0;
    const output = new MaskedOutput(
      (text) => {
        looks++;
        return text.replaceAll(/x+/g, "***");
      },
      () => {},
    );
    output.push(Buffer.alloc(2 * MEGABYTE, "x"));
    output.end();

    expect(looks).toBeLessThan(500);
  });

  test("shows no half of a secret where it was cut", () => {
    const head = lines(MEGABYTE, "012345678");
    const cut = `${SECRET} `.repeat(MEGABYTE / 8);

    const kept = written([head, cut, `\n${lines(10, "after")}`]);

    expect(kept).not.toMatch(/horse|battery/);
    expect(kept).toContain("after");
  });
});
