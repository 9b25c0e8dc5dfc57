import { liveFrame } from "@threadfold/importers";
import type { ContextSession, FrameFields, PreparedRequest } from "@threadfold/session";
import type { LanguageModelMiddleware } from "ai";
import { type AskOptions, askAgain, askModel } from "../mirror/ask-model.ts";
import { payloadOf } from "../mirror/payload-of.ts";
import { type AiSdkSession, type AiSdkSessionOptions, aiSdkSession } from "./ai-sdk-session.ts";
import { type LanguageModelPrompt, languageModelPrompt, partsOfPrompt } from "./language-model-prompt.ts";
import { type ReportedAnswer, reportAnswer } from "./report-answer.ts";

type WrapGenerate = NonNullable<LanguageModelMiddleware["wrapGenerate"]>;
type WrapStream = NonNullable<LanguageModelMiddleware["wrapStream"]>;
type Call = Pick<Parameters<WrapGenerate>[0], "params" | "model">;
type StreamResult = Awaited<ReturnType<WrapStream>>;
type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;

/**
 * A middleware for `wrapLanguageModel` of the AI SDK, versions 6 and 7. Every call's prompt is mirrored into the session's
 * thread, and the model is sent what the session makes of it. Instructions and tools of the call, when it has any, go before
 * `system` and `tools` of the session's own frame, each for itself; tools are sent as the call has them. Usage and finish reason go to the session. A request that is refused as too long is folded for and sent once more.
 *
 * It suits any call over one growing conversation. Beside `createPrepareStep` of the same session it leaves the prompts to
 * that, and sees to overflow and usage alone.
 */
export function compactionMiddleware(options: AiSdkSessionOptions): LanguageModelMiddleware {
  const state = aiSdkSession(options);
  state.hasMiddleware = true;
  const wrapGenerate: WrapGenerate = async ({ params, model }) => {
    const result = await ask(state, { params, model }, (prompt) => model.doGenerate({ ...params, prompt }));
    await reportAnswer(state.mirror.session, result);
    return result;
  };
  const wrapStream: WrapStream = async ({ params, model }) => {
    const result = await ask(state, { params, model }, (prompt) => model.doStream({ ...params, prompt }));
    return { ...result, stream: result.stream.pipeThrough(reporting(() => state.mirror.session)) };
  };
  return { specificationVersion: "v4", wrapGenerate, wrapStream };
}

async function ask<Result>(
  { mirror, hasSteps, onRequest }: AiSdkSession,
  { params, model }: Call,
  send: (prompt: LanguageModelPrompt) => PromiseLike<Result>,
): Promise<Result> {
  const { prompt, tools = [], abortSignal: signal } = params;
  const options: AskOptions = {
    ...(signal !== undefined && { signal }),
    ...(onRequest !== undefined && { onRequest }),
  };
  const sendRequest = (request: PreparedRequest): PromiseLike<Result> =>
    send(languageModelPrompt(payloadOf(request, "ai-sdk"), model.specificationVersion));
  if (hasSteps) return askAgain(mirror.session, options, () => send(prompt), sendRequest);
  const { instructions, messages } = partsOfPrompt(prompt);
  const { session } = await mirror.sync(messages);
  const told = liveFrame("ai-sdk", { instructions, tools });
  const frame: FrameFields = {
    ...(instructions.length > 0 && { system: told.system }),
    ...(tools.length > 0 && { tools: told.tools }),
  };
  return askModel(session, { frame, ...options }, sendRequest);
}

/** Lets a stream pass and reports what it says at its end. An overflow that shows in mid-stream is folded for at the next call. */
function reporting(session: () => ContextSession): TransformStream<StreamPart, StreamPart> {
  return new TransformStream({
    async transform(part, controller) {
      if (part.type === "finish") await reportAnswer(session(), part satisfies ReportedAnswer);
      if (part.type === "error") await session().failed(part.error);
      controller.enqueue(part);
    },
  });
}
