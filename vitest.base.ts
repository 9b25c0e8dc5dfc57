import { defineConfig } from "vitest/config";

/** How every package is tested: against the sources of its neighbours, so that tests need no build. */
export default defineConfig({
  resolve: { conditions: ["threadfold-source"] },
  ssr: { resolve: { conditions: ["threadfold-source"] } },
  test: {
    include: ["src/**/*.test.ts"],
    reporters: ["default", ["json", { outputFile: ".cache/test-results.json" }]],
    testTimeout: 60_000,
  },
});
