import { type BaseMessage, RemoveMessage } from "@langchain/core/messages";
import { summarizationMiddleware } from "langchain";
import { langchainShape } from "./langchain-shape.ts";
import { langchainTrigger } from "./langchain-trigger.ts";
import { type PeerContext, peerPolicy } from "./peer-policy.ts";

/** The middleware's hook, which an agent calls before its model; its own type is generic over the agent. */
type BeforeModel = (
  state: { messages: BaseMessage[] },
  runtime: { context: object },
) => Promise<{ messages: BaseMessage[] } | undefined>;

/**
 * LangChain's `summarizationMiddleware`: at 0.8 of the window it keeps 0.3 of it, as in its documentation, and shows
 * its model the last 4,000 tokens of the rest, which is its default.
 */
export const langchainSummarize = peerPolicy<BaseMessage>(
  "langchain summarizationMiddleware",
  langchainShape,
  (context) => {
    let state: readonly BaseMessage[] = [];
    const beforeModel = hookOf(context, () => state);
    return async (added) => {
      const messages = [...state, ...added];
      state = messages;
      const update = await beforeModel({ messages: [...messages] }, { context: {} });
      if (update !== undefined) state = update.messages.filter((message) => !RemoveMessage.isInstance(message));
      return state;
    };
  },
);

function hookOf(
  { budget, tokensOf, model }: PeerContext<BaseMessage>,
  state: () => readonly BaseMessage[],
): BeforeModel {
  const scripted = { invoke: async (request: string) => ({ content: await model.summarizeText(request, state()) }) };
  const middleware = summarizationMiddleware({
    model: scripted as never,
    trigger: { tokens: langchainTrigger(budget) },
    keep: { tokens: Math.max(1, Math.floor(budget * 0.3)) },
    tokenCounter: (messages: BaseMessage[]) => messages.reduce((sum, message) => sum + tokensOf(message), 0),
  });
  const { beforeModel } = middleware;
  if (typeof beforeModel !== "function") throw new Error("summarizationMiddleware has no beforeModel function.");
  return beforeModel as unknown as BeforeModel;
}
