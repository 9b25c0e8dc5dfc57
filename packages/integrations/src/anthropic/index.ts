export {
  type AnthropicAnswer,
  type AnthropicConversation,
  type AnthropicTurn,
  type AnthropicTurnOptions,
  anthropicTurn,
  fromAnthropic,
  type ThreadfoldTool,
  threadfoldTools,
  toAnthropicRequest,
} from "./anthropic-turn.ts";
