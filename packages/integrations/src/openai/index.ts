export * from "./from-openai-chat.ts";
export * from "./from-openai-response.ts";
export * from "./openai-chat-turn.ts";
export * from "./openai-responses-turn.ts";
export * from "./threadfold-tools.ts";
export * from "./to-openai-request.ts";
