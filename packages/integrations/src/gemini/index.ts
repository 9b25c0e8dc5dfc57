export {
  fromGemini,
  type GeminiAnswer,
  type GeminiConversation,
  type GeminiTurn,
  type GeminiTurnOptions,
  geminiTurn,
  type ThreadfoldFunction,
  threadfoldFunctions,
  toGeminiRequest,
} from "./gemini-turn.ts";
