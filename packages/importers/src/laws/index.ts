export { damageLaws } from "./damage-laws.ts";
export { type BrokenLaw, type ImporterSample, importerLaws, sessionLaws } from "./importer-laws.ts";
export { jsonDocument, jsonLines } from "./source-bytes.ts";
