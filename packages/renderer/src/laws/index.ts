export { type FormatLaw, formatLaws } from "../formats/format-laws.ts";
export { countThread, planOf, renderInputs } from "./render-inputs.ts";
