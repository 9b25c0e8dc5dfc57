import { mergeConfig } from "vitest/config";
import base from "../vitest.base.ts";

/** The tests of the house's own scripts, but for those that run on the oldest Node. */
export default {
  ...mergeConfig(base, {}),
  test: { ...base.test, include: ["{scripts,examples}/**/*.test.mjs"], exclude: ["scripts/oldest-node/**"] },
};
