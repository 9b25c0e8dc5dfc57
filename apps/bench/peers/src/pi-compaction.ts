import { type PeerContext, peerPolicy } from "./peer-policy.ts";
import {
  type AgentMessage,
  buildSessionContext,
  compact,
  convertToLlm,
  type PiSettings,
  prepareCompaction,
  SessionManager,
  shouldCompact,
} from "./pi-package.ts";
import { type PiMessage, piShape } from "./pi-shape.ts";

/** Tokens that pi keeps free in the window by default; added to the budget, so that prompts get all of the budget. */
const RESERVE = 16_384;

/**
 * pi's compaction: `shouldCompact`, `prepareCompaction` and `compact` over its own session, with its default reserve.
 * It keeps its default of 20,000 tokens, or half the budget if that is less.
 */
export const piCompaction = peerPolicy<PiMessage>("pi compaction", piShape, (context) => {
  const session = SessionManager.inMemory();
  const settings = {
    enabled: true,
    reserveTokens: RESERVE,
    keepRecentTokens: Math.min(20_000, Math.floor(context.budget / 2)),
  };
  const sizeOf = (messages: readonly PiMessage[]): number =>
    messages.reduce((sum, message) => sum + context.tokensOf(message), 0);
  let messages: AgentMessage[] = [];
  let tokens = 0;
  return async (added) => {
    // As in pi's agent: it continues with the messages it has, and rebuilds them after a compaction. It takes the size
    // of what it has shown from the provider's usage.
    for (const message of added) {
      session.appendMessage(message);
      messages.push(message);
    }
    tokens += sizeOf(added);
    if (shouldCompact(tokens, context.budget + RESERVE, settings)) {
      await fold(context, session, settings);
      messages = buildSessionContext(session.getBranch()).messages;
      tokens = sizeOf(convertToLlm(messages));
    }
    return convertToLlm(messages);
  };
});

async function fold(
  { budget, model }: PeerContext<PiMessage>,
  session: SessionManager,
  settings: PiSettings,
): Promise<void> {
  const preparation = prepareCompaction(session.getBranch(), settings);
  if (preparation === undefined) return;
  const { messagesToSummarize, turnPrefixMessages, previousSummary } = preparation;
  const candidates = [
    ...(previousSummary === undefined ? [] : [summaryMessage(previousSummary)]),
    ...convertToLlm([...messagesToSummarize, ...turnPrefixMessages] as AgentMessage[]),
  ];
  const answer = async (_model: unknown, context: { messages: readonly PiMessage[] }) => {
    const request = context.messages.map((message) => piShape.piece(message).text).join("\n");
    const text = await model.summarizeText(request, candidates);
    return { result: async () => assistantMessage(text) };
  };
  const scripted = { id: "scripted", maxTokens: 8_192, contextWindow: budget + RESERVE };
  const result = await compact(
    preparation,
    scripted as never,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    answer as never,
  );
  session.appendCompaction(result.summary, result.firstKeptEntryId, result.tokensBefore, result.details);
}

function summaryMessage(text: string): PiMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp: 0 };
}

function assistantMessage(text: string): PiMessage {
  return piShape.convert([
    {
      id: "summary" as never,
      role: "assistant",
      parts: [{ type: "text", text }],
      createdAt: new Date(0).toISOString(),
      ordinal: 0,
      turn: 0,
      step: 0,
    },
  ])[0]?.native as PiMessage;
}
