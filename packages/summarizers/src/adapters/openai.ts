export * from "./openai-model.ts";
export * from "./openai-responses-model.ts";
