export {
  damageLaws,
  type ImporterSample,
  importerLaws,
  jsonDocument,
  jsonLines,
  sessionLaws,
} from "./importer-laws.ts";
