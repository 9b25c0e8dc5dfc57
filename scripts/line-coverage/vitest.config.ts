import { join } from "node:path";
import { defineConfig, mergeConfig } from "vitest/config";
import base from "../../vitest.base.ts";

/**
 * The packages that must not lose anything. `npm run test:coverage` lists them in the order of the arrows; if only some
 * are measured, only their own tests run.
 */
const packages = (process.env["THREADFOLD_COVERED_PACKAGES"] ?? "").split(" ").filter((name) => name !== "");

/** One run over the tests of several packages, so that a line counts if the test of another package reaches it. */
export default defineConfig({
  test: {
    projects: packages.map((name) =>
      mergeConfig(base, { test: { name, dir: join(import.meta.dirname, "../../packages", name) } }),
    ),
    reporters: ["default", ["json", { outputFile: "scripts/line-coverage/.cache/run.json" }]],
    ...(base.test?.maxWorkers === undefined ? {} : { maxWorkers: base.test.maxWorkers }),
    coverage: {
      enabled: true,
      provider: "v8",
      reporter: ["json-summary"],
      reportsDirectory: "scripts/line-coverage/.cache",
      reportOnFailure: true,
      include: packages.map((name) => `packages/${name}/src/**/*.ts`),
      // Code that runs in a separate process is measured there or not at all; laws and fixtures are themselves tests.
      exclude: ["**/*.{test,process}.ts", "packages/*/src/**/{testing,laws,reliability,fixtures}/**"],
    },
  },
});
