import { describe, expect, test } from "vitest";
import { asksForTests, specialCases } from "../../../src/features/guards/hard-coded.ts";
import { patchedFile } from "../../../src/features/guards/patched-file.ts";
import { suppressions } from "../../../src/features/guards/suppressions.ts";
import { weakenedTests } from "../../../src/features/guards/weakened-tests.ts";
import { parsePatch } from "../../../src/system/git/parse-patch.ts";

/** A patch of one hunk per file, as git writes it. */
function patch(files: Readonly<Record<string, string>>): string {
  return Object.entries(files)
    .map(
      ([file, lines]) =>
        `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -10,9 +10,9 @@\n${lines}\n`,
    )
    .join("");
}

function weakened(files: Readonly<Record<string, string>>): readonly string[] {
  return weakenedTests(parsePatch(patch(files)).map(patchedFile)).map(
    ({ file, line, issue }) => `${file}:${line} ${issue}`,
  );
}

function suppressed(file: string, ...lines: readonly string[]): readonly string[] {
  return suppressedIn({ [file]: lines.join("\n") });
}

function suppressedIn(files: Readonly<Record<string, string>>): readonly string[] {
  return suppressions(parsePatch(patch(files)).map(patchedFile)).map(({ line, issue }) => `${line} ${issue}`);
}

/** A file with one test that was deleted. */
function gone(file: string): string {
  return `diff --git a/${file} b/${file}\ndeleted file mode 100644\n--- a/${file}\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-test("adds", () => {\n-});\n`;
}

describe("a skip in the idiom of each language", () => {
  test.each([
    ["a.test.ts", '-it("adds", () => {', '+it.skip("adds", () => {'],
    ["a.test.ts", '-describe("sums", () => {', '+xdescribe("sums", () => {'],
    ["test/a.js", ' it("adds", { timeout: 5 }, () => {', '+test("adds", { skip: true }, () => {'],
    ["test_a.py", " def test_a():", "+@pytest.mark.skip"],
    ["test_a.py", " def test_a():", '+@unittest.skip("later")'],
    ["test_a.py", " def test_a():", "+@pytest.mark.xfail(reason='x')"],
    ["test_a.py", " def test_a():", '+    pytest.skip("later")'],
    ["a_test.go", " func TestA(t *testing.T) {", '+\tt.Skip("flaky")'],
    ["src/lib.rs", " #[test]", "+#[ignore]"],
    ["src/test/java/ATest.java", "   @Test", '+  @Disabled("later")'],
    ["src/test/kotlin/ATest.kt", "   @Test", "+  @Ignore"],
    ["spec/a_spec.rb", "-  it 'adds' do", "+  xit 'adds' do"],
    ["test/a_test.rb", "   def test_adds", "+    skip 'later'"],
    ["tests/ATest.php", "     {", "+        $this->markTestSkipped('later');"],
    ["tests/PestTest.php", " it('adds', function () {", "+})->skip('later');"],
    ["A.Tests/ATests.cs", "-    [Fact]", '+    [Fact(Skip = "later")]'],
    ["A.Tests/ATests.cs", "     [Test]", '+    [Ignore("later")]'],
    ["test/a_test.clj", "-(deftest adds", "+#_(deftest adds"],
    ["test/a_test.exs", '   test "adds" do', "+  @tag :skip"],
  ])("%s: %s → %s", (file, before, after) => {
    const said = weakened({ [file]: `${before}\n${after}\n body` });

    expect(said).toContainEqual(expect.stringContaining("test skipped"));
  });

  test.each([
    ["a.test.ts", '+it.skipIf(isWindows)("adds", () => {'],
    ["test_a.py", '+@pytest.mark.skipif(sys.platform == "win32", reason="paths")'],
    ["test_a.py", " if not shutil.which('git'):\n+    pytest.skip('no git')"],
    ["a_test.go", " \tif testing.Short() {\n+\t\tt.Skip()"],
    ["spec/a_spec.rb", "+    skip 'no fork' unless Process.respond_to?(:fork)"],
    ["tests/ATest.php", " if (!extension_loaded('curl')) {\n+    $this->markTestSkipped('curl');"],
    ["src/test/java/ATest.java", "+  @DisabledOnOs(OS.WINDOWS)"],
  ])("%s: a condition is about certain machines: %s", (file, lines) => {
    const said = weakened({ [file]: lines });

    expect(said).toEqual([]);
  });
});

test.each([
  ["a.test.ts", '-it("adds", () => {', '+it.only("adds", () => {'],
  ["a.spec.js", '-describe("sums", () => {', '+fdescribe("sums", () => {'],
  ["spec/a_spec.rb", "-  it 'adds' do", "+  fit 'adds' do"],
  ["tests/PestTest.php", "-});", "+})->only();"],
  ["test/a_test.clj", "-(deftest adds", "+(deftest ^:focus adds"],
])("%s: a focus keeps the other tests from running: %s → %s", (file, before, after) => {
  const said = weakened({ [file]: `${before}\n${after}` });

  expect(said).toEqual([expect.stringContaining("only focused tests run")]);
});

describe("a test that is gone", () => {
  test.each([
    ["a.test.ts", '-test("adds", () => {\n-  expect(1).toBe(1);\n-});'],
    ["test_a.py", "-def test_adds():\n-    assert add(1, 2) == 3"],
    ["a_test.go", "-func TestAdds(t *testing.T) {\n-}"],
    ["src/lib.rs", "-    #[test]\n-    fn adds() {\n-    }"],
    ["src/test/java/ATest.java", "-  @Test\n-  void adds() {\n-  }"],
    ["spec/a_spec.rb", "-  it 'adds' do\n-  end"],
    ["tests/ATest.php", "-    public function testAdds(): void\n-    {\n-    }"],
    ["A.Tests/ATests.cs", "-    [Fact]\n-    public void Adds()\n-    {\n-    }"],
    ["test/a_test.clj", "-(deftest adds\n-  (is (= 3 (+ 1 2))))"],
    ["test/a_test.exs", '-  test "adds" do\n-  end'],
  ])("%s is named once", (file, lines) => {
    const said = weakened({ [file]: lines });

    expect(said).toEqual([expect.stringMatching(/test deleted: `(?:testA|TestA|test_a|A|a)dds`/)]);
  });

  test("is not named when it was moved to another file", () => {
    const removed = '-test("adds", () => {\n-  expect(add(1, 2)).toBe(3);\n-});';
    const sameName = weakened({
      "a.test.ts": removed,
      "b.test.ts": '+test("adds", () => {\n+  expect(sum([1, 2])).toBe(3);\n+});',
    });
    const sameAssertions = weakened({
      "a.test.ts": removed,
      "b.test.ts": '+test("sums up", () => {\n+  expect(add(1, 2)).toBe(3);\n+});',
    });

    expect([...sameName, ...sameAssertions]).toEqual([]);
  });

  test("is not named when it was renamed, or its cases became a table", () => {
    const renamed = weakened({ "a.test.ts": '-test("adds", () => {\n+test("adds numbers", () => {\n body' });
    const table = weakened({
      "test_a.py":
        "-def test_one():\n-    assert f(1)\n-def test_two():\n-    assert f(2)\n+@pytest.mark.parametrize('n', [1, 2])\n+def test_all(n):\n+    assert f(n)",
    });

    expect([...renamed, ...table]).toEqual([]);
  });

  test("is named as commented out where its text stays", () => {
    const said = weakened({
      "a.test.ts": '-test("adds", () => {\n-  expect(1).toBe(1);\n-});\n+// test("adds", () => {\n+// });',
    });

    expect(said).toEqual(["a.test.ts:10 test commented out: `adds`"]);
  });

  test.each([
    ["a.test.ts", '+/*\n test("adds", () => {\n   expect(add(1, 2)).toBe(3);\n });\n+*/'],
    ["test_a.py", '+"""\n def test_adds():\n     assert add(1, 2) == 3\n+"""'],
    ["spec/a_spec.rb", "+=begin\n   it 'adds' do\n   end\n+=end"],
  ])("%s is named as commented out where a comment was put around it", (file, lines) => {
    const said = weakened({ [file]: lines });

    expect(said).toEqual([expect.stringMatching(/^\S+:11 test commented out: `(?:test_)?adds`$/)]);
  });

  test.each([
    ["a.test.ts", "+if (false) {"],
    ["test_a.py", "+if False:"],
    ["A.Tests/ATests.cs", "+#if false"],
  ])("%s is skipped in a branch that never runs: %s", (file, line) => {
    const said = weakened({ [file]: line });

    expect(said).toEqual([expect.stringContaining("test skipped")]);
  });

  test("had been commented out before", () => {
    const said = weakened({ "ATest.java": "-/*\n-  @Test\n-  void adds() {\n-  }\n-*/" });

    expect(said).toEqual([]);
  });

  test("went with its file, unless what it tested went too", () => {
    const alone = weakenedTests(parsePatch(gone("test/sum.test.ts")).map(patchedFile));
    const both = parsePatch(gone("test/sum.test.ts") + gone("src/sum.ts")).map(patchedFile);

    expect(alone.map(({ issue }) => issue)).toEqual(["test file deleted with 1 test"]);
    expect(weakenedTests(both)).toEqual([]);
  });
});

describe("an assertion that is gone", () => {
  test("is named where nothing took its place", () => {
    const said = weakened({
      "a.test.ts": ' test("adds", () => {\n-  expect(add(1, 2)).toBe(3);\n+  add(1, 2);\n });',
    });

    expect(said).toEqual(["a.test.ts:11 assertion removed: `expect(add(1, 2)).toBe(3);`"]);
  });

  test("is named where one that cannot fail took its place", () => {
    const said = weakened({ "test_a.py": " def test_a():\n-    assert add(1, 2) == 3\n+    assert True" });

    expect(said).toEqual(["test_a.py:11 assertion removed: `assert add(1, 2) == 3`"]);
  });

  test("is not named where another took its place, or a helper does the checking", () => {
    const replaced = weakened({ "test_a.py": "-    assert add(1, 2) == 3\n+    assert add(1, 2) == 4" });
    const helper = weakened({ "a.test.ts": "-  expect(a).toBe(1);\n+  expectSum(a, 1);" });

    expect([...replaced, ...helper]).toEqual([]);
  });
});

test("a snapshot that was rewritten is named, one that only grew is not", () => {
  const rewritten = weakened({ "__snapshots__/a.snap": "-  <b>one</b>\n+  <b>two</b>" });
  const grown = weakened({ "__snapshots__/a.snap": " exports[`a`]\n+exports[`b`] = `1`;" });

  expect(rewritten).toEqual(["__snapshots__/a.snap:10 snapshot rewritten: 1 line changed"]);
  expect(grown).toEqual([]);
});

describe("several statements on one line", () => {
  test.each([
    [
      "a.test.ts",
      '-test("a", () => {}); test("b", () => {});',
      '+test("a", () => {}); test.skip("b", () => {});',
    ],
    ["a.test.ts", ' describe("sums", () => {', '+const n = 1; it.skip("adds", () => {'],
    ["test_a.py", "-def test_a(): assert f()", '+def test_a(): pytest.skip("later")'],
    ["a_test.go", "-func TestA(t *testing.T) { check(t) }", "+func TestA(t *testing.T) { t.Skip() }"],
    ["a_test.go", " func TestA(t *testing.T) {", "+\tif true { t.Skip() }"],
    ["src/lib.rs", "-#[test] fn adds() {", "+#[test] #[ignore] fn adds() {"],
    ["src/test/java/ATest.java", "-  @Test void adds() {", "+  @Test @Disabled void adds() {"],
    ["spec/a_spec.rb", "-  it('adds') { expect(1).to eq(1) }", "+  it('adds') { skip }"],
    [
      "tests/ATest.php",
      "-  public function testA() {}",
      "+  public function testA() { $this->markTestSkipped(); }",
    ],
    ["A.Tests/ATests.cs", "-  [Test] public void Adds()", '+  [Test] [Ignore("later")] public void Adds()'],
  ])("%s: the skip is found: %s → %s", (file, before, after) => {
    const said = weakened({ [file]: `${before}\n${after}` });

    expect(said).toContainEqual(expect.stringContaining("test skipped"));
  });

  test.each([
    ["a.test.ts", '-test("a", () => {}); test("b", () => {});', '+test("a", () => {});', "test deleted: `b`"],
    [
      "a.test.ts",
      '-test("is checked", () => { expect(f()).toBe(1); });',
      '+test("is checked", () => { f(); });',
      "assertion removed: `expect(f()).toBe(1); });`",
    ],
    [
      "test_a.py",
      "-def test_a(): assert f() == 1",
      "+def test_a(): f()",
      "assertion removed: `assert f() == 1`",
    ],
  ])("%s: what is gone is found: %s → %s", (...[file, before, after, what]) => {
    const said = weakened({ [file]: `${before}\n${after}` });

    expect(said).toEqual([`${file}:10 ${what}`]);
  });

  test.each([
    ["a_test.go", "+\tif testing.Short() { t.Skip() }"],
    ["a.test.ts", "+const text = \"a; it.skip('b', () => {})\";"],
    ["src/test/java/ATest.java", "-  @Test @Ignore void adds() {\n+  @Test\n+  @Ignore\n+  void adds() {"],
  ])("%s: a condition, a quoted text and another layout are none: %s", (file, lines) => {
    const said = weakened({ [file]: lines });

    expect(said).toEqual([]);
  });
});

describe("what was only written in another way", () => {
  test.each([
    [
      "a test under another name in another file",
      {
        "a.test.ts": '-test("adds", () => {\n-  expect(add(1, 2)).toBe(3);\n-});',
        "b.test.ts": '+it("sums up", () => {\n+  expect(add(1, 2)).toBe(3);\n+});',
      },
    ],
    [
      "a test that became a part of the one before",
      {
        "a.test.ts":
          ' test("a", () => {\n   expect(f(1)).toBe(1);\n-});\n-\n-test("b", () => {\n-  const n = 2;\n+  n = 2;\n   expect(f(n)).toBe(2);\n });',
      },
    ],
    [
      "a skip below a comment in a branch",
      {
        "a_test.go": '+\tif runtime.GOOS == "linux" {\n+\t\t// it watches a file\n+\t\tt.Skip("later")\n+\t}',
      },
    ],
    [
      "a skip on certain machines",
      { "a.test.js": "-  it('adds', () => {\n+  (isOld ? it.skip : it)('adds', () => {\n   add();" },
    ],
    [
      "an error that is passed on",
      {
        "a.test.ts":
          "-    }).catch((err) => {\n-      assert.fail(err);\n-      done();\n-    });\n+    }).catch(done);",
      },
    ],
    [
      "an assertion in other words",
      { "ATest.java": "-  then(count()).isEqualTo(0);\n+  then(count()).isZero();" },
    ],
    [
      "a helper that validates",
      { "a.test.js": "-  expect(error.message).toBe('x');\n+  validateError(error);" },
    ],
    ["the import of an assertion", { "ATest.kt": "-import my.test.shouldBe" }],
    [
      "an annotation of the project's own",
      {
        "src/test/java/ATest.java":
          "-  @Test @EveryLocaleTest public void adds() {\n+  @EveryLocaleTest\n+  public void adds(Locale locale) {",
      },
    ],
  ])("%s", (_, files) => {
    const said = weakened(files);

    expect(said).toEqual([]);
  });

  test("a test that is deleted is found where the one before ends as it does", () => {
    const said = weakened({
      "a.test.ts":
        ' test("a", () => {\n-  expect(f()).toBe(1);\n-});\n-test("b", () => {\n   expect(f()).toBe(1);\n });',
    });

    expect(said).toEqual([expect.stringContaining("deleted: `b`")]);
  });

  test("a loop elsewhere in the file does not hide a deleted test", () => {
    const two = `diff --git a/a.test.ts b/a.test.ts
--- a/a.test.ts
+++ b/a.test.ts
@@ -1,3 +1,1 @@
-test("adds", () => {
-  expect(add(1, 2)).toBe(3);
-});
@@ -50,1 +47,2 @@
 test("more", () => {
+  for (const one of all) one();
`;

    const said = weakenedTests(parsePatch(two).map(patchedFile));

    expect(said.map(({ issue }) => issue)).toEqual(["test deleted: `adds`"]);
  });
});

describe("a test that stays in the file and can no longer fail", () => {
  test.each([
    ["a.test.js", "-  assert.equal(add(1, 2), 3);\n+  assert.notEqual(add(1, 2), 3);", "assertion says less"],
    ["a.test.ts", "-  expect(add(1, 2)).toBe(3);\n+  expect(add(1, 2)).not.toBe(3);", "assertion says less"],
    ["test_a.py", "-    assert add(1, 2) == 3\n+    assert add(1, 2) != 3", "assertion says less"],
    [
      "test_a.py",
      "-def test_adds():\n+def check_adds():\n     assert add(1, 2) == 3",
      "renamed to `check_adds`: `test_adds`",
    ],
    [
      "a_test.go",
      "-func TestAdds(t *testing.T) {\n+func testAdds(t *testing.T) {\n \tcheck(t)",
      "renamed to `testAdds`",
    ],
    [
      "src/test/java/ATest.java",
      "-  @Test\n   void adds() {\n     assertEquals(3, add(1, 2));",
      "its mark removed: `adds`",
    ],
    [
      "src/lib.rs",
      "-    #[test]\n     fn adds() {\n         assert_eq!(add(1, 2), 3);",
      "its mark removed: `adds`",
    ],
    [
      "a_test.go",
      '-\t\tt.Errorf("got %d", got)\n+\t\tt.Logf("got %d", got)',
      "assertion removed: `t.Errorf(",
    ],
    [
      "a.test.ts",
      '-test("adds", () => {\n+test.fails("adds", () => {\n   body();',
      "test passes when it fails",
    ],
    ["tests/a.rs", " #[test]\n+#[should_panic]\n fn adds() {", "test passes when it fails"],
    ["a.test.ts", '-test("adds", () => {\n+test.skipIf(true)("adds", () => {', "test skipped"],
    ["a.test.ts", '-test("adds", () => {\n+test["skip"]("adds", () => {', "test skipped"],
    ["a.test.js", '-test("adds", () => {\n+test("adds", { todo: true }, () => {', "test skipped"],
    [
      "a.test.ts",
      '-test.each([[1, 2]])("adds %i", () => {\n+test.each([])("adds %i", () => {',
      "test skipped",
    ],
    [
      "ATest.java",
      "   void adds() {\n+    assumeTrue(false);\n     assertEquals(3, add(1, 2));",
      "test skipped",
    ],
    [
      "a.test.ts",
      "-  expect(add(1, 2)).toBe(3);\n+  expect(add(1, 2));",
      "assertion removed: `expect(add(1, 2)).toBe(3);`",
    ],
    ["test_a.py", "-    assert add(1, 2) == 3\n+    assert True or add(1, 2) == 3", "assertion removed"],
    ["a.test.ts", "-  expect(add(1, 2)).toBe(3);\n+  expect(3).toBe(3);", "assertion removed"],
    [
      "a.test.ts",
      "-  expect(add(1, 2)).toBe(3);\n+  false && expect(add(1, 2)).toBe(3);",
      "assertion removed",
    ],
    [
      "a.test.ts",
      "-  expect(add(1, 2)).toBe(3);\n+  expect(add(1, 2)).toBeTruthy();",
      "assertion says less: `expect(add(1, 2)).toBe(3);` is now",
    ],
    [
      "a.test.ts",
      "-  expect(add(1, 2)).toBe(3);\n+  expect(add(1, 2)).toEqual(expect.anything());",
      "assertion says less",
    ],
    ["a.test.js", "-  assert.equal(add(1, 2), 3);\n+  assert.ok(add(1, 2));", "assertion says less"],
    ["test_a.py", "-    assert add(1, 2) == 3\n+    assert add(1, 2) is not None", "assertion says less"],
    [
      "a.test.ts",
      ' test("adds", () => {\n+  return;\n   expect(add(1, 2)).toBe(3);',
      "test returns before its assertions",
    ],
    [
      "a.test.ts",
      "+  try {\n-  expect(add(1, 2)).toBe(3);\n+    expect(add(1, 2)).toBe(3);\n+  } catch {}",
      "failures are swallowed",
    ],
    [
      "test_a.py",
      "-    assert add(1, 2) == 3\n+    with suppress(AssertionError):\n+        assert add(1, 2) == 3",
      "failures are swallowed",
    ],
    [
      "test_a.py",
      "-    assert add(1, 2) == 3\n+    try:\n+        assert add(1, 2) == 3\n+    except AssertionError:\n+        pass",
      "failures are swallowed",
    ],
    ["a.test.ts", "+process.exit(0);", "ends the test run as passed"],
  ])("%s: %j", (file, lines, what) => {
    const said = weakened({ [file]: lines });

    expect(said).toEqual([expect.stringContaining(what)]);
  });

  test.each([
    ["sum.test.js", "sum.helper.js"],
    ["sum_test.go", "sum_tests.go"],
    ["test_sum.py", "sum_cases.py"],
  ])("%s is renamed to %s, where no runner looks", (from, to) => {
    const renamed = `diff --git a/src/${from} b/src/${to}\nsimilarity index 100%\nrename from src/${from}\nrename to src/${to}\n`;

    const said = weakenedTests(parsePatch(renamed).map(patchedFile));

    expect(said.map(({ file, issue }) => `${file} ${issue}`)).toEqual([
      `src/${to} test file that no runner finds any more, renamed from \`src/${from}\``,
    ]);
  });

  test.each([
    [
      "a test that others call now",
      {
        "test_a.py":
          "-def test_adds():\n+def check_adds(one):\n     assert add(one, 2) == 3\n+def test_all():\n+    check_adds(1)",
      },
    ],
    [
      "a new test of a known bug",
      { "a.test.ts": '+test.fails("adds", () => {\n+  expect(add(1, 2)).toBe(3);' },
    ],
    [
      "another mark",
      {
        "src/lib.rs": "-    #[test]\n+    #[sqlx_test]\n     fn adds() {\n         assert_eq!(add(1, 2), 3);",
      },
    ],
    [
      "an assertion on several lines",
      { "a.test.ts": "-  expect(add(1, 2)).toBe(3);\n+  expect(add(1, 2))\n+    .toBe(3);" },
    ],
    [
      "a value that is asserted elsewhere, too",
      { "a.test.ts": "-  expect(sum).toBe(3);\n+  expect(sum).toBeDefined();\n+  expect(sum).toBe(4);" },
    ],
    ["tidying up", { "a.test.ts": "+  try {\n+    remove(dir);\n+  } catch {}" }],
    ["a return of a helper", { "a.test.ts": "+  if (!ready)\n+    return;\n   expect(f()).toBe(3);" }],
  ] as const)("%s is none", (_, files) => {
    const said = weakened(files);

    expect(said).toEqual([]);
  });
});

describe("what goes with its subject", () => {
  test("a test of a function that the change removes is no finding", () => {
    const said = weakened({
      "src/sum.ts": "-export function subtract(a: number, b: number) {\n-  return a - b;\n-}",
      "src/sum.test.ts": '-test("subtracts", () => {\n-  expect(subtract(3, 2)).toBe(1);\n-});',
    });

    expect(said).toEqual([]);
  });

  test("nor is an assertion about it, but a test of what was renamed is", () => {
    const gone = weakened({
      "src/sum.py": "-def subtract(a, b):\n-    return a - b",
      "test_sum.py": " def test_all():\n-    assert subtract(3, 2) == 1",
    });
    const renamed = weakened({
      "src/sum.ts":
        "-export function subtract(a: number, b: number) {\n+export function minus(a: number, b: number) {",
      "src/sum.test.ts": '-test("subtracts", () => {\n-  expect(subtract(3, 2)).toBe(1);\n-});',
    });

    expect(gone).toEqual([]);
    expect(renamed).toEqual([expect.stringContaining("test deleted: `subtracts`")]);
  });

  test("a snapshot that shows what the source says now is no finding, one with other words is", () => {
    const source = "-  return <b>Save</b>;\n+  return <b>Store</b>;";
    const shown = weakened({
      "src/a.tsx": source,
      "__snapshots__/a.snap": "-  <b>Save</b>\n+  <b>Store</b>",
    });
    const other = weakened({ "src/a.tsx": source, "__snapshots__/a.snap": "-  total 3\n+  total 4" });

    expect(shown).toEqual([]);
    expect(other).toEqual(["__snapshots__/a.snap:10 snapshot rewritten: 1 line changed"]);
  });
});

describe("source that knows the tests", () => {
  test.each([
    ["src/a.ts", '+  if (name === "Ada Lovelace") return 42;', "Ada Lovelace"],
    ["src/a.ts", '+    case "blue moon":\n+      return "rare";', "blue moon"],
    ["src/a.py", "+    if n == 1729:\n+        return 12", "1729"],
    ["src/a.go", '+\tif in == "x-17" {\n+\t\treturn "seventeen"', "x-17"],
    ["src/a.ts", '+  return name === "Ada Lovelace" ? 42 : compute(name);', "Ada Lovelace"],
  ])("%s may answer one test: %j", (file, lines, literal) => {
    const found = specialCases(parsePatch(patch({ [file]: lines })).map(patchedFile));

    expect(found.map((one) => one.literal)).toEqual([literal]);
  });

  test.each([
    ["src/a.ts", '+  if (kind === "error") return report(kind);'],
    ["src/a.ts", "+  if (n === 0) return 1;"],
    ["src/a.test.ts", '+  if (name === "Ada Lovelace") return 42;'],
    ["src/a.ts", ' if (name === "Ada Lovelace") return 42;'],
  ])("%s is ordinary: %j", (file, lines) => {
    expect(specialCases(parsePatch(patch({ [file]: lines })).map(patchedFile))).toEqual([]);
  });

  test("asks whether it is tested", () => {
    const asks = asksForTests(
      parsePatch(
        patch({
          "src/a.ts": "+  if (process.env.VITEST) return 3;",
          "vite.config.ts": "+  test: process.env.VITEST,",
        }),
      ).map(patchedFile),
    );

    expect(asks.map(({ file, issue }) => `${file} ${issue}`)).toEqual([
      "src/a.ts source that acts differently under a test runner: `if (process.env.VITEST) return 3;`",
    ]);
  });
});

test("code that is not a test, and code of others, is left alone", () => {
  const said = weakened({
    "src/a.ts": '-it("adds", () => {\n+it.skip("adds", () => {',
    "vendor/a_test.go": "-func TestA(t *testing.T) {\n-}",
  });

  expect(said).toEqual([]);
});

test.each([
  ["a.ts", "+// eslint-disable-next-line no-console", "linter switched off"],
  ["a.ts", "+// @ts-ignore", "type checker switched off"],
  ["src/a.ts", "+// @ts-expect-error it is private", "type checker switched off"],
  ["a.js", "+/* istanbul ignore next */", "left out of coverage"],
  ["a.ts", "+// biome-ignore lint/suspicious/noExplicitAny: later", "linter switched off"],
  ["a.py", "+x = f()  # type: ignore[arg-type]", "type checker switched off"],
  ["a.py", "+import os  # noqa: F401", "linter switched off"],
  ["a.py", "+if x:  # pragma: no cover", "left out of coverage"],
  ["a.go", "+\tx := f() //nolint:errcheck", "linter switched off"],
  ["a.rs", "+#[allow(dead_code)]", "linter switched off"],
  ["A.java", '+  @SuppressWarnings("unchecked")', "linter switched off"],
  ["A.kt", '+@Suppress("UNUSED")', "linter switched off"],
  ["a.rb", "+x = 1 # rubocop:disable Lint/UselessAssignment", "linter switched off"],
  ["A.php", "+        // @phpstan-ignore-next-line", "linter switched off"],
  ["A.php", "+    // @codeCoverageIgnoreStart", "left out of coverage"],
  ["A.cs", "+#pragma warning disable CS0168", "linter switched off"],
  ["a.clj", "+  #_{:clj-kondo/ignore [:unused-binding]}", "linter switched off"],
  ["a.ex", "+  # credo:disable-for-next-line", "linter switched off"],
  ["package.json", '+    "test": "vitest run || true",', "command cannot fail"],
  ["Makefile", "+\tpytest -q || true", "command cannot fail"],
  [".github/workflows/ci.yml", "+        continue-on-error: true", "command cannot fail"],
  ["package.json", '+    "test": "vitest run --passWithNoTests",', "command cannot fail"],
])("%s: %s", (file, line, what) => {
  const said = suppressed(file, line);

  expect(said).toEqual([expect.stringMatching(new RegExp(`^10 ${what}: `))]);
});

test.each([
  ["README.md", "+Use `// eslint-disable-next-line` sparingly."],
  ["a.ts", '+const text = "eslint-disable";'],
  ["a.test.ts", "+// @ts-expect-error wrong on purpose"],
  ["run.sh", "+grep -q needle file || true"],
  ["a.py", "+# this type: ignored"],
  ["vendor/a.ts", "+// @ts-ignore"],
])("%s: nothing is switched off by %s", (file, line) => {
  const said = suppressed(file, line);

  expect(said).toEqual([]);
});

test("a cast that accepts anything is found where the line was there without it", () => {
  const cast = suppressed(
    "src/a.ts",
    "-  const n: number = read(x);",
    "+  const n: number = (read(x) as any);",
  );
  const fresh = suppressed("src/a.ts", "+  const n = read(x) as any;");

  expect(cast).toEqual([expect.stringMatching(/^10 type checker switched off: /)]);
  expect(fresh).toEqual([]);
});

test("a marker that was moved or reworded is not new", () => {
  const moved = suppressedIn({ "a.ts": "-  // @ts-ignore", "b.ts": "+    // @ts-ignore" });
  const reworded = suppressed("a.py", "-x = 1  # noqa: E1,E2", "+x = 2  # noqa: E1");

  expect([...moved, ...reworded]).toEqual([]);
});
