import { defineConfig, mergeConfig } from "vitest/config";
import base from "../../vitest.base.ts";

/** The shared configuration, with as much time for polling a browser as a very busy machine needs. */
export default mergeConfig(base, defineConfig({ test: { expect: { poll: { timeout: 60_000 } } } }));
