import { join } from "node:path";
import { defineConfig, mergeConfig } from "vitest/config";
import base from "../../vitest.base.ts";

/**
 * The packages that nothing may be lost by. `npm run test:coverage` names them in the order of the arrows; a part of them
 * is measured by the tests of that part alone.
 */
const packages = (process.env["THREADFOLD_COVERED_PACKAGES"] ?? "").split(" ").filter((name) => name !== "");

/** One run over the tests of several packages, so that a line counts that the test of another package reaches. */
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
      // What runs as a process of its own is measured there or nowhere; laws and fixtures are tests themselves.
      exclude: ["**/*.{test,process}.ts", "packages/*/src/**/{testing,laws,reliability,fixtures}/**"],
    },
  },
});
