export * from "./damage-laws.ts";
export * from "./importer-laws.ts";
export * from "./source-bytes.ts";
