// npm install threadfold @threadfold/integrations @anthropic-ai/sdk openai
// node anthropic-compaction.ts
import Anthropic from "@anthropic-ai/sdk";
import { anthropicTurn } from "@threadfold/integrations/anthropic";
import { ContextSession } from "threadfold";

const session = await ContextSession.open({
  threadId: "review",
  store: "anthropic-compaction.db",
  model: "claude-opus-5-5",
  providerCompaction: { when: "threshold", compactAt: 100_000 },
});
const turn = anthropicTurn({ session, client: new Anthropic(), model: "claude-opus-5-5", max_tokens: 8_000 });
const { message } = await turn.send("Is all in order?");
console.log(message.content);
await session.close();
