import { defineConfig } from "vitest/config";

const shared = { testTimeout: 30_000, hookTimeout: 30_000 };

export default defineConfig({
  test: {
    reporters: ["default", "./test/rig/closing-line.ts"],
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: ["test/{core,config,fleet,hosts,feedback,report,install,machine,sdk}/**/*.test.ts"],
        },
      },
      {
        test: {
          ...shared,
          name: "integration",
          include: ["test/{brepl,cli,engine,reviews,scenarios}/**/*.test.ts"],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...shared,
          name: "native",
          include: ["test/native/**/*.test.ts"],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...shared,
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
