export { formatLaws } from "./format-laws.ts";
export { countThread, planOf, renderInputs } from "./render-inputs.ts";
