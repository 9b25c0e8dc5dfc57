export {
  fromOpenaiChat,
  type OpenaiChatAnswer,
  type OpenaiChatConversation,
  type OpenaiChatTurn,
  type OpenaiChatTurnOptions,
  openaiChatTurn,
  type ThreadfoldChatTool,
  threadfoldChatTools,
  toOpenaiChatRequest,
} from "./chat-completions.ts";
export {
  fromOpenaiResponse,
  type OpenaiResponsesAnswer,
  type OpenaiResponsesConversation,
  type OpenaiResponsesTurn,
  type OpenaiResponsesTurnOptions,
  openaiResponsesTurn,
  type ResponsesCall,
  type ThreadfoldResponsesTool,
  threadfoldResponsesTools,
  toOpenaiResponsesRequest,
} from "./responses.ts";
