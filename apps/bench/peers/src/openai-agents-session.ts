import { type AgentInputItem, MemorySession, OpenAIResponsesCompactionSession } from "@openai/agents";
import { openaiShape } from "./openai-shape.ts";
import { type PeerContext, peerPolicy } from "./peer-policy.ts";

/** Its default counts items (ten of them) and ignores the window; this is the share at which others start. */
const TRIGGER = 0.8;

/**
 * The OpenAI Agents SDK's `OpenAIResponsesCompactionSession` over its `MemorySession`. It compacts after a turn, as its
 * runner does, when the stored items exceed 0.8 of the budget. The provider's side is scripted: `responses.compact`
 * answers with the user's messages unchanged and one compaction item, which has the summary where the provider puts
 * content that only it can read.
 */
export const openaiAgentsSession = peerPolicy<AgentInputItem>(
  "openai agents compaction session",
  openaiShape,
  (context) => {
    const { budget, tokensOf } = context;
    const stored = new MemorySession({ sessionId: "replay" });
    const session = new OpenAIResponsesCompactionSession({
      client: { responses: { compact: () => compacted(context, stored) } } as never,
      underlyingSession: stored,
      model: "gpt-5",
      compactionMode: "input",
      shouldTriggerCompaction: ({ sessionItems }) =>
        sessionItems.reduce((sum, item) => sum + tokensOf(item), 0) > budget * TRIGGER,
    });
    return async (added) => {
      await session.runCompaction();
      await session.addItems([...added]);
      return session.getItems();
    };
  },
);

async function compacted({ model }: PeerContext<AgentInputItem>, stored: MemorySession) {
  const items = await stored.getItems();
  const isUser = (item: AgentInputItem): boolean => item.type === "message" && item.role === "user";
  const span = items.filter((item) => !isUser(item));
  const summary = await model.summarize(span);
  return {
    output: [...items.filter(isUser), { type: "compaction", id: `cmp_${items.length}`, encrypted_content: summary }],
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  };
}
