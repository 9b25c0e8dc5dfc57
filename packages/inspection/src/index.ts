export { INSPECTION_VERSION } from "./rows/inspection-index.ts";
