// npm install threadfold @threadfold/integrations openai
// node openai-chat.ts
import { openaiChatTurn, threadfoldChatTools } from "@threadfold/integrations/openai";
import OpenAI from "openai";
import { ContextSession, formatById } from "threadfold";

const session = await ContextSession.open({
  threadId: "review",
  store: "openai-chat.db",
  format: formatById("openai-chat"),
  frame: { system: ["You are a careful engineer."], tools: [] },
});
const tools = threadfoldChatTools(session); // and your own
const turn = openaiChatTurn({ session, client: new OpenAI(), model: "gpt-5", tools });
const { completion } = await turn.send("Is all in order?");
console.log(completion.choices[0]?.message.content);
await session.close();
