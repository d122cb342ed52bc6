/**
 * What the scripts of a stop load once they get there, and not before: a stop that needs no run reads a third of the program. With all of
 * it static an unchanged stop takes 14.9 → 22.0 ms in the native program and 51 → 83 ms in Node.
 */
export const stages = {
  /** In a project: it hashes paths, which stops outside of projects do without. */
  skips: () => import("../features/trust/skip-store.ts"),
  /** Its settings, the early exits, the work tree. */
  look: () => import("./run.ts"),
  /** Something changed: the lock, and what git is asked. */
  lock: () => import("./take-lock.ts"),
  /** The rest of such a run: loaded while git works. */
  run: () => import("./stage-run.ts"),
  /** A gate failed: the parsers of forty tools. */
  red: () => import("./failures.ts"),
  /** The user skips or accepts gates, they were changed, or the agent is in another project. */
  trust: () => import("../features/trust/at-stop.ts"),
  /** A run was killed, a session is given up, a debug log is kept. */
  rare: () => import("./rare.ts"),

  repl: () => import("../gates/repl.ts"),
  review: () => import("../gates/review/review.ts"),
  guards: () => import("../features/guards/guards.ts"),
  /** A protected file changed, or a check writes a coverage report. */
  byRunning: () => import("../features/guards/by-running.ts"),
  baseline: () => import("../features/baseline/at-run.ts"),
  remote: () => import("../features/remote/at-run.ts"),
  ahead: () => import("../features/ahead/at-run.ts"),
};

export type { SharedPasses } from "../features/remote/at-run.ts";
