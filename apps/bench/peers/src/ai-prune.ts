import { type ModelMessage, pruneMessages } from "ai";
import { modelMessageShape } from "./model-message-shape.ts";
import { peerPolicy } from "./peer-policy.ts";

/**
 * The AI SDK's `pruneMessages` over the whole history, whenever that is above the budget: reasoning and tool calls
 * before the last three messages are removed, as in its course on agents.
 */
export const aiPrune = peerPolicy<ModelMessage>("ai pruneMessages", modelMessageShape, ({ budget, tokensOf }) => {
  const log: ModelMessage[] = [];
  let tokens = 0;
  return async (added) => {
    log.push(...added);
    tokens += added.reduce((sum, message) => sum + tokensOf(message), 0);
    return tokens <= budget ? [...log] : pruned(log);
  };
});

/** The same inside a step of the SDK's tool loop, where the next step starts from what this step returns. */
export const aiPruneSticky = peerPolicy<ModelMessage>(
  "ai pruneMessages, carried forward",
  modelMessageShape,
  ({ budget, tokensOf }) => {
    let messages: readonly ModelMessage[] = [];
    return async (added) => {
      messages = [...messages, ...added];
      const tokens = messages.reduce((sum, message) => sum + tokensOf(message), 0);
      if (tokens > budget) messages = pruned(messages);
      return messages;
    };
  },
);

function pruned(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return pruneMessages({
    messages: [...messages],
    reasoning: "before-last-message",
    toolCalls: "before-last-3-messages",
    emptyMessages: "remove",
  });
}
