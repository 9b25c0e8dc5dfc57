// npm install threadfold @threadfold/integrations @google/genai
// node gemini.ts
import { GoogleGenAI } from "@google/genai";
import { geminiTurn, threadfoldFunctions } from "@threadfold/integrations/gemini";
import { ContextSession, formatById } from "threadfold";

const session = await ContextSession.open({
  threadId: "review",
  store: "gemini.db",
  format: formatById("gemini"),
  config: { maxInputTokens: 100_000 },
});
const functionDeclarations = [...threadfoldFunctions(session)]; // and your own
const turn = geminiTurn({
  session,
  client: new GoogleGenAI({}), // takes its key from GEMINI_API_KEY
  model: "gemini-2.5-pro",
  config: { systemInstruction: "You are a careful engineer.", tools: [{ functionDeclarations }] },
});
const { text } = await turn.send("Is all in order?");
console.log(text);
await session.close();
