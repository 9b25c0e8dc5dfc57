// npm install threadfold @threadfold/integrations @anthropic-ai/sdk
// node anthropic.ts
import Anthropic from "@anthropic-ai/sdk";
import { anthropicTurn, threadfoldTools } from "@threadfold/integrations/anthropic";
import { ContextSession } from "threadfold";

const session = await ContextSession.open({ threadId: "review", store: "anthropic.db", model: "claude-haiku-4-5" });
const turn = anthropicTurn({
  session,
  client: new Anthropic(),
  model: "claude-haiku-4-5",
  max_tokens: 8_000,
  system: "You are a careful engineer.",
  tools: [...threadfoldTools(session)], // and your own
});
let { calls, message, retry } = await turn.send("Is all in order?");
while (calls.length > 0 || retry) {
  const content = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "It ran." }));
  ({ calls, message, retry } = await (calls.length > 0 ? turn.send({ role: "user", content }) : turn.step()));
}
console.log(message.content);
await session.close();
