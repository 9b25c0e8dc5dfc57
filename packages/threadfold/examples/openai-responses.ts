// npm install threadfold @threadfold/integrations openai
// node openai-responses.ts
import { openaiResponsesTurn, threadfoldResponsesTools } from "@threadfold/integrations/openai";
import OpenAI from "openai";
import { ContextSession, formatById } from "threadfold";

const session = await ContextSession.open({
  threadId: "review",
  store: "openai-responses.db",
  format: formatById("openai-responses"),
});
const turn = openaiResponsesTurn({
  session,
  client: new OpenAI(),
  model: "gpt-5",
  instructions: "You are a careful engineer.",
  include: ["reasoning.encrypted_content"],
  tools: threadfoldResponsesTools(session), // and your own
});
const { response } = await turn.send("Is all in order?");
console.log(response.output_text);
await session.close();
