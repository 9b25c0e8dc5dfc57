import { defineConfig } from "tsdown";

/** How every package is built: one ES module per entry with its types, dependencies left outside. */
export const library = (entry: Record<string, string> = { index: "src/index.ts" }) =>
  defineConfig({
    entry,
    format: "esm",
    platform: "node",
    dts: true,
    sourcemap: true,
    clean: true,
    fixedExtension: false,
  });
