import {
  type CompletionFinish,
  type CompletionModel,
  type CompletionRequest,
  checkOptions,
  hasMember,
  refuseArgument,
  type Usage,
} from "@threadfold/core";
import { generateText, type LanguageModel, type LanguageModelUsage, type ModelMessage } from "ai";
import { clientModel } from "../llm/call/client-model.ts";

/** Options of {@link aiSdkModel}: a model of the AI SDK, from any of its providers. */
export interface AiSdkModelOptions {
  /** A model of the AI SDK, such as `anthropic("claude-haiku-4-5")`. */
  readonly model: LanguageModel;
  /** Further options of `generateText`, such as `temperature` or `providerOptions`. */
  readonly settings?: Pick<
    Settings,
    Extract<keyof Settings, "temperature" | "providerOptions" | "headers" | "reasoning">
  >;
}

type Settings = Parameters<typeof generateText>[0];

/** A prefix for the AI SDK: the `instructions` (or `system`) and `messages` of an earlier call. */
interface AiSdkPrefix {
  readonly instructions?: string;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
}

/**
 * Implements the `complete()` port with the AI SDK, versions 6 and 7. The agent's tools are functions and cannot be
 * part of a prefix, so with providers whose cache begins with the tools, the cache is read only if the agent has none.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` without a model.
 */
export function aiSdkModel(options: AiSdkModelOptions): CompletionModel {
  checkOptions("options", options, { model: "any", settings: "object" });
  const { model, settings = {} } = options;
  if (typeof model === "string" ? model === "" : !hasMember(model, "modelId"))
    refuseArgument("model", "it has to be a model of the AI SDK.", 'Pass one, such as anthropic("claude-haiku-4-5").');
  return clientModel(
    `ai-sdk ${typeof model === "string" ? model : `${model.provider} ${model.modelId}`}`,
    (request) => request,
    async (request, { maxRetries, signal }) => {
      const { text, finishReason, toolCalls, usage } = await generateText({
        ...(request.temperature !== undefined && { temperature: request.temperature }),
        ...settings,
        ...promptOf(request),
        model,
        maxOutputTokens: request.maxOutputTokens,
        maxRetries,
        allowSystemInMessages: true,
        ...(signal !== undefined && { abortSignal: signal }),
      });
      return { text, finish: FINISH[finishReason] ?? "other", toolCalls: toolCalls.length, usage: usageOf(usage) };
    },
  );
}

/**
 * The two versions name the system text differently (`system`, `instructions`), but both accept it as a first message.
 */
function promptOf({ system, messages, prefix }: CompletionRequest): { readonly messages: ModelMessage[] } {
  const asked = messages.map(({ role, text }): ModelMessage => ({ role, content: text }));
  const sent = prefix as unknown as AiSdkPrefix | undefined;
  const instructions = sent === undefined ? system : (sent.instructions ?? sent.system);
  const first: ModelMessage[] = instructions === undefined ? [] : [{ role: "system", content: instructions }];
  return { messages: [...first, ...(sent?.messages ?? []), ...asked] };
}

function usageOf({ inputTokens, outputTokens, inputTokenDetails, outputTokenDetails }: LanguageModelUsage): Usage {
  const { cacheReadTokens, cacheWriteTokens } = inputTokenDetails ?? {};
  const { reasoningTokens } = outputTokenDetails ?? {};
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}

const FINISH: Readonly<Record<string, CompletionFinish>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool-call",
  "content-filter": "refusal",
};
