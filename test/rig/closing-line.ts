import type { Reporter, TestModule } from "vitest/node";

/** Says why tests were skipped, and ends the output with `N passed, N failed, N skipped` alone on a line, for scripts. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter(
      (module) => module.state() === "failed" && module.errors().length > 0,
    ).length;
    for (const test of tests) {
      const result = test.result();
      if (result.state === "skipped" && result.note !== undefined)
        process.stdout.write(`skipped: ${test.fullName}: ${result.note}\n`);
    }
    process.stdout.write(
      `${count("passed")} passed, ${count("failed") + broken} failed, ${count("skipped")} skipped\n`,
    );
  }
}
