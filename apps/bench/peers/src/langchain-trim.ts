import { type BaseMessage, trimMessages } from "@langchain/core/messages";
import { langchainShape } from "./langchain-shape.ts";
import { type PeerTurn, peerPolicy } from "./peer-policy.ts";

/**
 * LangChain's `trimMessages`, called as in its documentation: the last messages that fit, beginning with a human one.
 */
export const langchainTrim = peerPolicy<BaseMessage>("langchain trimMessages", langchainShape, (context) =>
  trimming(context, ["human"]),
);

/**
 * The same for an agent that works on one task for a long time: the model's messages may come first too, or none of its
 * work would be left.
 */
export const langchainTrimAnywhere = peerPolicy<BaseMessage>(
  "langchain trimMessages, from any turn",
  langchainShape,
  (context) => trimming(context, ["human", "ai"]),
);

function trimming(
  { budget, tokensOf }: { readonly budget: number; readonly tokensOf: (message: BaseMessage) => number },
  startOn: ("human" | "ai")[],
): PeerTurn<BaseMessage> {
  const log: BaseMessage[] = [];
  return async (added) => {
    log.push(...added);
    return trimMessages(log, {
      maxTokens: budget,
      strategy: "last",
      tokenCounter: (messages) => messages.reduce((sum, message) => sum + tokensOf(message), 0),
      startOn,
      includeSystem: true,
    });
  };
}
