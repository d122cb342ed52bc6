import * as fc from "fast-check";
import { toEDNString, type EDNVal } from "edn-data";
import { describe, expect, test } from "vitest";
import { printString, type EdnForm } from "../../src/config/brepl/edn-cursor.ts";
import { readEdn } from "../../src/config/brepl/edn-reader.ts";
import { runs } from "../rig/property-runs.ts";

/** Any UTF-16, halves of characters too. */
const anyString = fc.array(fc.nat(0xff_ff)).map((units) => String.fromCharCode(...units));

describe("what EDN means", () => {
  test.each([
    ["nil", null],
    ["true", true],
    [" ,, false ", false],
    ["; a comment\n42 ; another", 42n],
    ["-17", -17n],
    ["+5N", 5n],
    ["0x1F", 31n],
    ["017", 15n],
    ["2r1010", 10n],
    ["36rZZ", 1295n],
    ["4/2", 2n],
    ["-6/4", "ratio -3/2"],
    ["1.50", "float 1.5"],
    ["1e3", "float 1000"],
    ["2.5M", "decimal 2.5M"],
    ["##Inf", "float Inf"],
    ["##-Inf", "float -Inf"],
    ['"a\\tb\\\\c\\"d\\n\\r\\b\\f"', 'a\tb\\c"d\n\r\b\f'],
    ['"\\u00e9\\101\\0"', "éA\0"],
    ['"two\nlines"', "two\nlines"],
    ["\\a", "character a"],
    ["\\newline", "character \n"],
    ["\\u0041", "character A"],
    ["\\o101", "character A"],
    ["\\)", "character )"],
    [":a/b", "keyword a/b"],
    ["foo'", "symbol foo'"],
    ["a#b", "symbol a#b"],
    ["/", "symbol /"],
    ["-", "symbol -"],
    ["'x", "symbol 'x"],
    ["(1 [2])", { list: [1n, { vector: [2n] }] }],
    ["#{1 2}", { set: [1n, 2n] }],
    [
      "{:a 1, :b {}}",
      {
        map: [
          ["keyword a", 1n],
          ["keyword b", { map: [] }],
        ],
      },
    ],
    [
      '#:x{:a 1 :_/b 2 :y/c 3 "d" 4 e 5}',
      {
        map: [
          ["keyword x/a", 1n],
          ["keyword b", 2n],
          ["keyword y/c", 3n],
          ["d", 4n],
          ["symbol x/e", 5n],
        ],
      },
    ],
    ["[1 #_2 3 #_#_4 5 6]", { vector: [1n, 3n, 6n] }],
    ["[#_ #_ 1 2]", { vector: [] }],
    ["#_{:a 1} 7", 7n],
    ['#inst "2026-11-15T10:00:00.000-00:00"', "instant 2026-11-15T10:00:00.000-00:00"],
    ['#uuid "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"', "uuid f81d4fae-7dec-11d0-a765-00a0c91e6bf6"],
    ["^:private [1]", { vector: [1n] }],
    ['^{:doc "x"} sym', "symbol sym"],
    ["\uFEFF{}", { map: [] }],
    ["1 } what follows the first form is nobody's business", 1n],
  ])("%j", (text, expected) => {
    const { form, problems } = readEdn(text);

    expect(problems).toEqual([]);
    expect(form && plain(form)).toEqual(expected);
  });

  test("a text without a form is no problem", () => {
    expect(readEdn(" ; nothing here\n#_ ignored ")).toEqual({ problems: [] });
  });
});

describe("what is not EDN", () => {
  test.each([
    ["{:a 1 :a 2}", 6, ":a is a key of this map already"],
    ["#{1 1N}", 4, "1N is twice in this set"],
    ["{[1] :x (1) :y}", 8, "(1) is a key of this map already"],
    ["#:a{:b 1 :_/b 2 :a/b 3}", 16, ":a/b is a key of this map already"],
    ["{:a}", 0, "a map needs a value for every key: this one has an odd number of forms"],
    ['"a\\q"', 2, "\\q is not an escape of EDN strings"],
    ['"\\u12"', 1, "\\u needs four hexadecimal digits"],
    ['"\\400"', 1, "\\400 is not an octal escape"],
    ['"\\8"', 1, "\\8 is not an octal escape"],
    ["08", 0, '"08" is not a number'],
    ["1a", 0, '"1a" is not a number'],
    ["1/0", 0, "1/0 divides by zero"],
    ["99rX", 0, '"99rX" is not a number'],
    ["\\foo", 0, "\\foo is not a character"],
    ["\\uD800", 0, "\\uD800 is not a character"],
    ["::a", 0, '"::a" is not a keyword or symbol'],
    ["a:", 0, '"a:" is not a keyword or symbol'],
    ["a/b/", 0, '"a/b/" is not a keyword or symbol'],
    ["#foo 1", 0, "#foo is not a tag this file can use"],
    ["#inst 1", 0, "#inst needs a string"],
    ['#inst "2026-13-01"', 0, '"2026-13-01" is not an instant (RFC 3339)'],
    ['#inst "2026-02-30"', 0, '"2026-02-30" is not an instant (RFC 3339)'],
    ['#uuid "nope"', 0, '"nope" is not a UUID'],
    ["#(+ 1 %)", 0, "#( is not EDN"],
    ['#"re"', 0, '#" is not EDN'],
    ["@x", 0, "@ is not EDN"],
    ["a~b", 1, "~ is not EDN"],
    ["^:a 1", 0, "metadata sits only on symbols and collections"],
    ["^1 a", 0, "metadata is a symbol, a keyword, a string or a map"],
    ["[#_]", 1, "nothing follows this #_"],
    ["##Infinity", 0, "##Infinity is not a number"],
    ["[1 2", 0, "this [ is never closed"],
    ["{:a [1 2}", 8, "expected ] but found }"],
    ["]", 0, "nothing is open for this ]"],
    ['{:a "b}', 4, "this string is never closed"],
    ["[1 \\", 3, "nothing follows this backslash"],
  ])("%j", (text, start, message) => {
    expect(readEdn(text).problems[0]).toMatchObject({ start, message });
  });

  test("nesting without end", () => {
    expect(readEdn("[".repeat(100_000)).problems).toEqual([
      { start: 257, message: "more than 256 levels of nesting" },
    ]);
  });

  test("every problem is reported, not only the first", () => {
    const { problems } = readEdn('{:a 08, :a "\\q", :b #foo 1, :c @d}');

    expect(problems.map(({ message }) => message)).toEqual([
      '"08" is not a number',
      "\\q is not an escape of EDN strings",
      "#foo is not a tag this file can use",
      "@ is not EDN",
      ":a is a key of this map already",
    ]);
  });

  test("a text that is cut off has one problem, and no form to judge", () => {
    expect(readEdn('{:stop [{:a "x')).toEqual({
      problems: [{ start: 12, message: "this string is never closed" }],
    });
  });
});

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^[a-z][a-z0-9*+!?<>=.-]{0,8}$/).map((key) => ({ key })),
  fc.stringMatching(/^[a-z][a-z0-9*+!?<>=.-]{0,8}\/[a-z]{1,5}$/).map((sym) => ({ sym })),
);
const { data } = fc.letrec<{ data: EDNVal }>((tie) => ({
  data: fc.oneof(
    { depthSize: "small" },
    scalar.filter((value) => !["nil", "true", "false"].includes(Object.values(value ?? {})[0] as string)),
    fc.array(tie("data")),
    fc.array(tie("data")).map((list) => ({ list })),
    fc.uniqueArray(fc.tuple(fc.string(), tie("data")), { selector: ([key]) => key }).map((map) => ({ map })),
  ),
}));

describe("generated data", () => {
  test("reads back whatever another library writes", () => {
    fc.assert(
      fc.property(data, (value) => {
        const { form, problems } = readEdn(toEDNString(value));

        expect(problems).toEqual([]);
        expect(form && ednData(form)).toEqual(value);
      }),
    );
  });

  test("reads back every string it prints", () => {
    fc.assert(
      fc.property(anyString, (text) => {
        expect(readEdn(printString(text)).form).toMatchObject({ kind: "string", value: text });
      }),
    );
  });

  test("ends, without throwing, on every text", () => {
    const soup = fc.string({ unit: fc.constantFrom(...'{}[]()"\\#_:^;,~@/ \n-+1aNMxu0ré'.split("")) });
    fc.assert(
      fc.property(soup, (text) => {
        const { form, problems } = readEdn(text);

        expect(problems.every(({ start }) => start >= 0 && start <= text.length)).toBe(true);
        expect((form?.end ?? 0) <= text.length).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });
});

function plain(form: EdnForm): unknown {
  if ("items" in form) return { [form.kind]: form.items.map(plain) };
  if ("entries" in form) return { map: form.entries.map((entry) => entry.map(plain)) };
  if (form.kind === "nil") return null;
  if (form.kind === "boolean" || form.kind === "integer" || form.kind === "string") return form.value;
  const { start: _, end: __, kind, ...rest } = form;
  return `${kind} ${Object.values(rest).join("")}`;
}

/** The form in the shapes of edn-data. */
function ednData(form: EdnForm): unknown {
  if (form.kind === "list") return { list: form.items.map(ednData) };
  if ("items" in form) return form.items.map(ednData);
  if ("entries" in form) return { map: form.entries.map((entry) => entry.map(ednData)) };
  if (form.kind === "integer") return Number(form.value);
  if (form.kind === "keyword") return { key: form.name };
  if (form.kind === "symbol") return { sym: form.name };
  return form.kind === "nil" ? null : "value" in form ? form.value : undefined;
}
