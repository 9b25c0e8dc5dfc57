// npm install threadfold @threadfold/integrations ai @ai-sdk/anthropic
// node ai-sdk.ts
import { anthropic } from "@ai-sdk/anthropic";
import { compactionMiddleware, createOnEnd, createPrepareStep, threadfoldTools } from "@threadfold/integrations/ai-sdk";
import { generateText, isStepCount, type ModelMessage, wrapLanguageModel } from "ai";
import { ContextSession, formatById } from "threadfold";

const session = await ContextSession.open({
  threadId: "review",
  store: "ai-sdk.db",
  format: formatById("ai-sdk"),
  config: { maxInputTokens: 100_000 },
});
const tools = { ...threadfoldTools(session) }; // and your own
const messages: ModelMessage[] = [{ role: "user", content: "Is all in order?" }];
const { text } = await generateText({
  model: wrapLanguageModel({ model: anthropic("claude-haiku-4-5"), middleware: compactionMiddleware({ session }) }),
  messages,
  tools,
  stopWhen: isStepCount(20),
  prepareStep: createPrepareStep({ session, tools }),
  onEnd: createOnEnd({ session }),
});
console.log(text);
await session.close();
