import { mergeConfig } from "vitest/config";
import base from "../../vitest.base.ts";

/**
 * What depends on the Node it runs on: the SQLite store, which is Node's own, and the README's first program. Tests that
 * start processes from TypeScript sources are left out, because the oldest Node does not read TypeScript by itself.
 */
const tests = {
  include: [
    "scripts/oldest-node/**/*.test.mjs",
    "packages/stores/src/sqlite/**/*.test.ts",
    "packages/stores/src/open-store.test.ts",
  ],
  exclude: ["packages/stores/src/sqlite/processes.test.ts"],
  reporters: ["default", ["json", { outputFile: "scripts/oldest-node/.cache/test-results.json" }]],
};

export default { ...mergeConfig(base, {}), root: `${import.meta.dirname}/../..`, test: { ...base.test, ...tests } };
