export {
  type AnthropicAnswer,
  type AnthropicTurn,
  type AnthropicTurnOptions,
  anthropicTurn,
} from "./anthropic-turn.ts";
export { fromAnthropic } from "./from-anthropic.ts";
export { type ThreadfoldTool, threadfoldTools } from "./threadfold-tools.ts";
export { type AnthropicConversation, toAnthropicRequest } from "./to-anthropic-request.ts";
