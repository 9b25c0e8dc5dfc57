// The AI SDK's own loop of steps, version 6 or 7: the session makes the prompt before each step, the middleware sees to
// what a provider refuses as too long, and the model has two tools to what was folded.
import type { ThreadId } from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
import { generateText, isStepCount, type LanguageModel, type ModelMessage, type ToolSet, wrapLanguageModel } from "ai";
// In your own code: "@threadfold/integrations/ai-sdk".
import { compactionMiddleware } from "../ai-sdk/compaction-middleware.ts";
import { createOnEnd } from "../ai-sdk/create-on-end.ts";
import { createPrepareStep } from "../ai-sdk/create-prepare-step.ts";
import { threadfoldTools } from "../ai-sdk/threadfold-tools.ts";

type Model = Exclude<LanguageModel, string>;

export async function chat(threadId: ThreadId, model: Model, own: ToolSet, questions: readonly string[]) {
  const session = await ContextSession.open({
    threadId,
    format: formatById("ai-sdk"),
    config: { maxInputTokens: 32_000 },
  });
  const tools = { ...own, ...threadfoldTools(session) };
  const agent = {
    model: wrapLanguageModel({ model, middleware: compactionMiddleware({ session }) }),
    tools,
    stopWhen: isStepCount(50),
    prepareStep: createPrepareStep({ session, tools }),
    onEnd: createOnEnd({ session }), // in version 6: onFinish
  };
  const messages: ModelMessage[] = [];
  for (const content of questions) {
    messages.push({ role: "user", content });
    const { responseMessages } = await generateText({ ...agent, messages });
    messages.push(...responseMessages);
  }
  return session;
}
