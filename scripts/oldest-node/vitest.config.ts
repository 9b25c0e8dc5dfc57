import { mergeConfig } from "vitest/config";
import base from "../../vitest.base.ts";

/**
 * The tests that depend on the Node version: those of the SQLite store, which uses Node's own SQLite, also across
 * processes, and the README's first program.
 */
const tests = {
  include: [
    "scripts/oldest-node/**/*.test.mjs",
    "packages/stores/src/sqlite/**/*.test.ts",
    "packages/stores/src/open-store.test.ts",
  ],
  reporters: ["default", ["json", { outputFile: "scripts/oldest-node/.cache/test-results.json" }]],
};

export default { ...mergeConfig(base, {}), test: { ...base.test, ...tests } };
