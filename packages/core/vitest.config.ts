import { mergeConfig } from "vitest/config";
import base from "../../vitest.base.ts";

/** Core keeps no state between files, so its many small test files share one set of loaded modules. */
export default mergeConfig(base, { test: { isolate: false } });
