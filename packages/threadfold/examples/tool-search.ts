// npm install threadfold @threadfold/integrations @anthropic-ai/sdk openai
// node tool-search.ts
import { openaiResponsesTurn } from "@threadfold/integrations/openai";
import OpenAI from "openai";
import { ContextSession, formatById } from "threadfold";

const model = "gpt-5.6-terra";
const session = await ContextSession.open({
  threadId: "orders",
  store: "tool-search.db",
  format: formatById("openai-responses"),
  model,
});
const parameters = { type: "object", properties: { customer: { type: "string" } } };
const orders: OpenAI.Responses.FunctionTool = { type: "function", name: "orders", parameters, strict: false, defer_loading: true };
const tools: OpenAI.Responses.Tool[] = [
  { type: "tool_search" },
  { type: "namespace", name: "crm", description: "Customers and orders.", tools: [orders] },
];
const turn = openaiResponsesTurn({ session, client: new OpenAI(), model, tools });
const { response } = await turn.send("Which orders are open?");
console.log(response.output_text);
await session.close();
