import { defineConfig } from "vitest/config";

/** A full run tries each property so many times more often, so it may take as much longer. */
const scale = Math.max(1, Number(process.env["THREADFOLD_PROPERTY_SCALE"] ?? 1));

/** How every package is tested: against the sources of its neighbours, so that tests need no build. */
export default defineConfig({
  resolve: { conditions: ["threadfold-source"] },
  ssr: { resolve: { conditions: ["threadfold-source"] } },
  test: {
    include: ["src/**/*.test.ts"],
    reporters: ["default", ["json", { outputFile: ".cache/test-results.json" }]],
    // For what never ends; how long something takes on a machine with other work, nobody knows.
    testTimeout: 300_000 * scale,
    hookTimeout: 300_000 * scale,
  },
});
