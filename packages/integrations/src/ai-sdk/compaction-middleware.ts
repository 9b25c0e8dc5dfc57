import type { JsonObject, JsonValue } from "@threadfold/core";
import { liveFrame } from "@threadfold/importers";
import type { ContextSession, FrameFields, PreparedRequest } from "@threadfold/session";
import type { LanguageModelMiddleware } from "ai";
import { type AskOptions, askAgain, askModel, payloadOf } from "../mirror/ask-model.ts";
import {
  type AiSdkSession,
  type AiSdkSessionOptions,
  aiSdkSession,
  keepRecall,
  promptedCall,
  type ReportedAnswer,
  reportAnswer,
} from "./ai-sdk-session.ts";

type WrapGenerate = NonNullable<LanguageModelMiddleware["wrapGenerate"]>;
type WrapStream = NonNullable<LanguageModelMiddleware["wrapStream"]>;
type Call = Pick<Parameters<WrapGenerate>[0], "params" | "model">;
type StreamResult = Awaited<ReturnType<WrapStream>>;
type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;

/**
 * A middleware for `wrapLanguageModel` of the AI SDK, versions 6 and 7. It mirrors every call's prompt into the
 * session's thread and sends the model the prompt that the session prepares. Instructions and tools of the call, when
 * it has any, take precedence over `system` and `tools` of the session's own frame, field by field; tools are sent
 * unchanged. Usage and finish reason go to the session. A request that is refused as too long is folded and sent once
 * more.
 *
 * It suits any call over one growing conversation. When the same session also has a `createPrepareStep`, that makes the
 * prompts and the middleware handles only overflow and usage.
 */
export function compactionMiddleware(options: AiSdkSessionOptions): LanguageModelMiddleware {
  const state = aiSdkSession(options);
  state.hasMiddleware = true;
  const wrapGenerate: WrapGenerate = async (call) => {
    const { result, session } = await ask(state, call, (params) => call.model.doGenerate(params));
    keepRecall(state, session, result.content);
    await reportAnswer(session, result);
    return result;
  };
  const wrapStream: WrapStream = async (call) => {
    const { result, session } = await ask(state, call, (params) => call.model.doStream(params));
    return { ...result, stream: result.stream.pipeThrough(reporting(state, session)) };
  };
  return { specificationVersion: "v4", wrapGenerate, wrapStream };
}

/** An answer, and the session that asked for it. */
interface Asked<Result> {
  readonly result: Result;
  readonly session: ContextSession;
}

async function ask<Result>(
  state: AiSdkSession,
  { params: given, model }: Call,
  send: (params: CallOptions) => PromiseLike<Result>,
): Promise<Asked<Result>> {
  const { mirror, hasSteps, onRequest } = state;
  const { session: own, params } = promptedCall(state, given);
  const { prompt, tools = [], abortSignal: signal } = params;
  const options: AskOptions = {
    model: model.modelId,
    ...(signal !== undefined && { signal }),
    ...(onRequest !== undefined && { onRequest }),
  };
  const sendRequest = (request: PreparedRequest): PromiseLike<Result> =>
    send({ ...params, prompt: languageModelPrompt(payloadOf(request, "ai-sdk"), model.specificationVersion) });
  if (hasSteps) {
    const session = own ?? mirror.session;
    return { session, result: await askAgain(session, options, () => send(params), sendRequest) };
  }
  const { instructions, messages } = partsOfPrompt(prompt);
  const { session } = await mirror.sync(messages);
  const told = liveFrame("ai-sdk", { instructions, tools });
  const frame: FrameFields = {
    ...(instructions.length > 0 && { system: told.system }),
    ...(tools.length > 0 && { tools: told.tools }),
  };
  return { session, result: await askModel(session, { frame, ...options }, sendRequest) };
}

/**
 * Passes a stream through and reports its usage at the end. An overflow in mid-stream is folded for at the next call.
 */
function reporting(state: AiSdkSession, session: ContextSession): TransformStream<StreamPart, StreamPart> {
  return new TransformStream({
    async transform(part, controller) {
      keepRecall(state, session, [part]);
      if (part.type === "finish") await reportAnswer(session, part satisfies ReportedAnswer);
      if (part.type === "error") await session.failed(part.error);
      controller.enqueue(part);
    },
  });
}

type CallOptions = Parameters<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>[0]["params"];

/** The prompt of an AI SDK language model. */
type LanguageModelPrompt = CallOptions["prompt"];

/**
 * Splits a prompt into the instructions, which belong to a session's frame, and the messages, which belong to its
 * thread.
 */
export function partsOfPrompt(prompt: LanguageModelPrompt): {
  readonly instructions: readonly unknown[];
  readonly messages: readonly unknown[];
} {
  const first = prompt.findIndex(({ role }) => role !== "system");
  const split = first === -1 ? prompt.length : first;
  return { instructions: prompt.slice(0, split), messages: prompt.slice(split) };
}

/**
 * Converts messages for the SDK to a prompt for one of its models: instructions first, results of one batch in one
 * message, and files in the form of the model's specification (`v4` names the kind of their data, `v3` does not).
 * Requests for a person's approval stay between the SDK and its host, and so do the answers, except for calls that run
 * at the provider.
 */
export function languageModelPrompt(payload: JsonObject, specification: string): LanguageModelPrompt {
  const { instructions = [], messages = [] } = payload as Readonly<Record<string, readonly JsonObject[]>>;
  const prompt: Record<string, unknown>[] = [...instructions];
  for (const { content, ...message } of messages) {
    const sent = (content as readonly JsonObject[]).filter(isForModel);
    if (sent.length === 0 && message.role === "tool") continue;
    const parts = sent.map((part) => promptPart(part, specification === "v4"));
    const last = prompt.at(-1);
    if (message.role === "tool" && last?.["role"] === "tool" && message.providerOptions === undefined)
      last["content"] = [...(last["content"] as readonly unknown[]), ...parts];
    else prompt.push({ ...message, content: parts });
  }
  return prompt as unknown as LanguageModelPrompt;
}

const isForModel = ({ type, providerExecuted }: JsonObject): boolean =>
  type !== "tool-approval-request" && (type !== "tool-approval-response" || providerExecuted === true);

function promptPart(part: JsonObject, tagged: boolean): unknown {
  if (part["type"] === "file") return { ...part, data: fileData(part["data"], tagged) };
  const output = part["output"] as JsonObject | undefined;
  if (!tagged || part["type"] !== "tool-result" || output?.["type"] !== "content") return part;
  return { ...part, output: { ...output, value: (output["value"] as readonly JsonObject[]).map(resultPart) } };
}

/** Media in a result: the newer specification has one kind of part for the four kinds of the older one. */
function resultPart(part: JsonObject): unknown {
  const { type, data, url, mediaType, filename } = part;
  const kind = /^(image|file)-(data|url)$/.exec(String(type));
  if (kind === null) return part;
  const file = { type: "file", data: fileData(kind[2] === "url" ? url : data, true) };
  return {
    ...file,
    mediaType: mediaType ?? (kind[1] === "image" ? "image" : "application"),
    ...(filename && { filename }),
  };
}

function fileData(data: JsonValue | undefined, tagged: boolean): unknown {
  if (typeof data !== "string") return data;
  const url = /^[a-z][a-z0-9+.-]*:/i.test(data.slice(0, 40)) ? new URL(data) : undefined;
  if (!tagged) return url ?? data;
  return url === undefined ? { type: "data", data } : { type: "url", url };
}
