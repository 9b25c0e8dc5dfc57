export { type OpenAIModelOptions, openaiModel } from "./openai-model.ts";
export { openaiResponsesModel } from "./openai-responses-model.ts";
