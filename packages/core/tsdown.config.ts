import { bundledLicenses, library } from "../../tsdown.base.ts";

/**
 * What is used of zod goes into one file, which `schema.ts` says more of. The types stay zod's own. What is used of the
 * portable hashes goes into core's own file, instead of four more.
 */
export default library(
  { index: "src/index.ts", laws: "src/laws/index.ts", schema: "src/json/schema.ts" },
  {
    deps: {
      alwaysBundle: ["zod", /^@noble\/hashes/],
      onlyBundle: ["zod", "@noble/hashes"],
      dts: { alwaysBundle: [], neverBundle: ["zod"] },
    },
    plugins: [schemaApart(), bundledLicenses("bundled.licenses.txt")],
  },
);

/** Has the other files load the one with zod in it as others' packages do, and their declarations speak of `z` as it does. */
function schemaApart() {
  return {
    name: "schema-apart",
    resolveId: (specifier: string, importer?: string) =>
      importer !== undefined && /\/schema\.ts$/.test(specifier) ? { id: "./schema.js", external: true } : null,
  };
}
