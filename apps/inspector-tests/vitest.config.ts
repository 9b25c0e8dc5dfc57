import { defineConfig, mergeConfig } from "vitest/config";
import base from "../../vitest.base.ts";

/** As everywhere; what a browser comes to is waited for as long as on a machine with much other work. */
export default mergeConfig(base, defineConfig({ test: { expect: { poll: { timeout: 60_000 } } } }));
