import {
  ContextWindowOverflowError,
  type ConversationManager,
  Message,
  SlidingWindowConversationManager,
  SummarizingConversationManager,
  TextBlock,
} from "@strands-agents/sdk";
import { type PeerContext, type PeerTurn, peerPolicy } from "./peer-policy.ts";
import { strandsShape } from "./strands-shape.ts";

/** Strands' `SlidingWindowConversationManager` with its defaults: it acts when the provider reports an overflow. */
export const strandsSlidingWindow = peerPolicy<Message>("strands SlidingWindow", strandsShape, (context) =>
  onOverflow(context, new SlidingWindowConversationManager()),
);

/**
 * Strands' `SummarizingConversationManager` with its defaults: summarizes the oldest 0.3 and keeps the last ten
 * messages.
 */
export const strandsSummarizing = peerPolicy<Message>("strands Summarizing", strandsShape, (context) =>
  onOverflow(context, new SummarizingConversationManager({ model: scriptedModel(context) as never })),
);

/**
 * Does what Strands' agent does when the provider refuses a prompt: it has its manager reduce the prompt and tries
 * again, until the prompt fits or the manager gives up. Refusals are not billed here. A reduction that frees nothing
 * also ends the loop: Strands would ask the provider forever.
 */
function onOverflow(
  { budget, tokensOf, model }: PeerContext<Message>,
  manager: ConversationManager,
): PeerTurn<Message> {
  const messages: Message[] = [];
  const size = (): number => messages.reduce((sum, message) => sum + tokensOf(message), 0);
  const agent = { messages };
  return async (added) => {
    messages.push(...added);
    let before = Number.POSITIVE_INFINITY;
    while (size() > budget && size() < before) {
      before = size();
      const error = new ContextWindowOverflowError("The prompt is longer than the window.");
      if (!(await reduced(manager, { agent, model, error }))) break;
    }
    return [...messages];
  };
}

/** Strands rethrows when there is nothing to summarize; its agent then ends with the provider's refusal. */
async function reduced(manager: ConversationManager, options: object): Promise<boolean> {
  try {
    return await manager.reduce(options as never);
  } catch {
    return false;
  }
}

function scriptedModel({ model }: PeerContext<Message>) {
  return {
    async *streamAggregated(messages: readonly Message[], { systemPrompt }: { readonly systemPrompt: string }) {
      // The last message is the instruction to summarize.
      const summary = await model.summarize(messages.slice(0, -1), systemPrompt);
      yield* [];
      return { message: new Message({ role: "assistant", content: [new TextBlock(summary)] }), stopReason: "endTurn" };
    },
  };
}
