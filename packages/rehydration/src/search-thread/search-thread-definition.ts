import { SEARCH_THREAD_TOOL_NAME, type ToolDefinition } from "@threadfold/core";

export { SEARCH_THREAD_TOOL_NAME };

/** The most that one result takes when the host does not say, in tokens of its counter: the total that seed 002 gives to rehydration. */
export const DEFAULT_RECALL_TOKENS = 8_000;
/** What words find may take of a window: with what is near in meaning beside it, which has its share on top, it stays below 15 %. */
const WINDOW_SHARE = 0.14;
/** With less nothing but the frame of a result would be left. */
const LEAST_TOKENS = 400;

/** What one result may take of a window, in tokens: 14 % of it, from 400 to 8 000. */
export function recallTokens(windowTokens: number): number {
  return Math.min(DEFAULT_RECALL_TOKENS, Math.max(LEAST_TOKENS, Math.floor(windowTokens * WINDOW_SHARE)));
}

/** The tool as the model is told about it. */
export const SEARCH_THREAD_DEFINITION: ToolDefinition = Object.freeze({
  name: SEARCH_THREAD_TOOL_NAME,
  description:
    "Search the earlier part of this conversation that was folded away: messages, tool calls and tool results that you no longer see in full. Gives the passages that match best with where they come from, and the names in other matching messages. Give `query` to search, or `message_id` to read one message in full.",
  inputSchema: {
    type: "object",
    properties: {
      query: {
        type: "string",
        description: "Names, paths, error codes or other words, in any order. Rare words count most.",
      },
      page: { type: "integer", minimum: 1, description: "Page of the result. 1 by default." },
      message_id: { type: "string", description: "Id of a message to read, or its number as in #12." },
      offset: { type: "integer", minimum: 0, description: "With message_id: characters to skip. 0 by default." },
    },
    additionalProperties: false,
  },
});
