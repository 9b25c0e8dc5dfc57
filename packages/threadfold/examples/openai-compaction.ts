// npm install threadfold @threadfold/integrations @anthropic-ai/sdk openai
// node openai-compaction.ts
import { fromOpenaiResponse, openaiResponsesTurn } from "@threadfold/integrations/openai";
import OpenAI from "openai";
import { ContextSession, formatById } from "threadfold";

const model = "gpt-5.6-terra";
const client = new OpenAI();
const session = await ContextSession.open({
  threadId: "review",
  store: "openai-compaction.db",
  format: formatById("openai-responses"),
  model,
  providerCompaction: { when: "on-demand" },
});
const turn = openaiResponsesTurn({ session, client, model });
await turn.send("Is all in order?");
const outcome = await session.compactAtProvider(async ({ payload }) => {
  const compacted = await client.responses.compact({ model, ...payload });
  return fromOpenaiResponse(compacted).messages.at(-1)!;
});
const { response } = await turn.send("And now?");
console.log(outcome.type, response.output_text);
await session.close();
