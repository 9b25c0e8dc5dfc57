import { mergeConfig } from "vitest/config";
import base from "../vitest.base.ts";

/** Configuration for the tests of the repository's own scripts, except those that run on the oldest Node. */
export default {
  ...mergeConfig(base, {}),
  test: { ...base.test, include: ["{scripts,examples}/**/*.test.mjs"], exclude: ["scripts/oldest-node/**"] },
};
