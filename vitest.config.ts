import { availableParallelism, tmpdir } from "node:os";
import { defineConfig } from "vitest/config";

const shared = {
  testTimeout: 30_000,
  hookTimeout: 30_000,
  expect: { poll: { timeout: 25_000 } }, // the default of one second is short for a process on a busy machine
  // Vitest leaves one core free, which is half of a small machine; most tests wait for a child process anyway.
  maxWorkers: availableParallelism() + 1,
  // One process runs many files: starting a new one for each costs more than most files do.
  isolate: false,
};

/** From source: no built program. */
const UNIT = [
  "test/*.test.ts",
  "test/{config,features,feedback,gates,hosts,install,ledger,report,run,sdk,stop,system}/**/*.test.ts",
];
/** What takes as long as all the rest: sessions, trust, proofs, attacks, a JVM. `npm run test:e2e` and CI run it. */
const LONG = [
  "test/cli/{acp,attest,audit,baseline,ci,committed-work,consent,dashboard,doctor,earlier-release,faults,forged-state,git-under-way,guards}.test.ts",
  "test/cli/{keys,left-running,log,log-dir-safety,mcp,monorepo,namespaces,needs-and-fix,only-new,original-tests,permissions}.test.ts",
  "test/cli/{plugin-commands,pre-push,progress,report,reruns,settings-cache,simulate,skip,staged,status}.test.ts",
  "test/cli/{stop-hook-attacks,stop-hook-events,stop-hook-fuzz,stop-hook-together,telemetry}.test.ts",
  "test/cli/{run-ahead,truthful-answers,unearned-green,verify,watch}.test.ts",
  "test/{cli/session-start,system/git/kept-trees,brepl/real-nrepl,reviews/convergence}.test.ts",
];
/** The shorter tests have their repositories in memory (test/rig/temp-dir.ts); these, like users, on a disk. */
const ON_DISK = { env: { TMPDIR: tmpdir() } };
const NATIVE = "test/native/**/*.test.ts";
const E2E = "test/e2e/**/*.test.ts";
/** A registry, other processors, another C library: what needs more than the machine of whoever tests. `npm run test:e2e:full`. */
const FULL = "test/full/**/*.test.ts";

export default defineConfig({
  test: {
    reporters: ["default", "./test/rig/closing-line.ts"],
    projects: [
      { test: { ...shared, name: "unit", include: UNIT, exclude: LONG } },
      {
        test: {
          ...shared,
          name: "integration",
          include: ["test/**/*.test.ts"],
          exclude: [...UNIT, ...LONG, NATIVE, E2E, FULL, "test/fixtures/**"],
          testTimeout: 60_000,
        },
      },
      { test: { ...shared, ...ON_DISK, name: "long", include: LONG, testTimeout: 60_000 } },
      {
        test: { ...shared, ...ON_DISK, name: "native", include: [NATIVE], testTimeout: 120_000 },
      },
      {
        test: {
          ...shared,
          ...ON_DISK,
          name: "e2e",
          include: [E2E],
          testTimeout: 180_000,
          hookTimeout: 600_000,
          maxWorkers: 1,
          sequence: { groupOrder: 1 }, // another number of workers is another group
        },
      },
      {
        test: { ...shared, ...ON_DISK, name: "full", include: [FULL], testTimeout: 600_000, maxWorkers: 1 },
      },
    ],
  },
});
