export { fromOpenaiChat } from "./from-openai-chat.ts";
export { fromOpenaiResponse } from "./from-openai-response.ts";
export {
  type OpenaiChatAnswer,
  type OpenaiChatTurn,
  type OpenaiChatTurnOptions,
  openaiChatTurn,
} from "./openai-chat-turn.ts";
export {
  type OpenaiResponsesAnswer,
  type OpenaiResponsesTurn,
  type OpenaiResponsesTurnOptions,
  openaiResponsesTurn,
} from "./openai-responses-turn.ts";
export {
  type ThreadfoldChatTool,
  type ThreadfoldResponsesTool,
  threadfoldChatTools,
  threadfoldResponsesTools,
} from "./threadfold-tools.ts";
export {
  type OpenaiChatConversation,
  type OpenaiResponsesConversation,
  toOpenaiChatRequest,
  toOpenaiResponsesRequest,
} from "./to-openai-request.ts";
