export * from "../formats/format-laws.ts";
export * from "./render-inputs.ts";
