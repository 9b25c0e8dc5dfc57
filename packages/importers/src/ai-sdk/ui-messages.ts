import type { MessageId, Part, ToolCallPart, Usage } from "@threadfold/core";
import type { SessionDraft } from "../draft/session-draft.ts";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  textOf,
  withoutUndefined,
} from "../reading/foreign-value.ts";
import type { AiSdkEntry } from "./ai-sdk-entry.ts";
import { aiSdkPart } from "./ai-sdk-parts.ts";
import { aiSdkCall, uiResult } from "./ai-sdk-tools.ts";
import { compactionIn } from "./compaction-in.ts";

/** Parts of messages for the screen that a model is never sent. */
const NON_PROMPT = /^(?:step-start|source-url|source-document|source|data-.*)$/;

/** A `UIMessage`: what the AI SDK shows and stores. An assistant's holds all steps of its turn, with the results. */
export function addUiMessage(message: ForeignObject, entry: AiSdkEntry): void {
  const { draft, place } = entry;
  const parts = listOf(message.parts) ?? [];
  if (message.role === "assistant") return addSteps(message, stepsOf(parts), entry);
  const sent = parts.filter((part) => !NON_PROMPT.test(textOf(objectOf(part)?.type) ?? ""));
  draft.add({ ...place, role: message.role === "system" ? "system" : "user", parts: sent.map(aiSdkPart) });
}

function addSteps(message: ForeignObject, steps: readonly (readonly unknown[])[], { draft, place }: AiSdkEntry): void {
  const metadata = objectOf(message.metadata);
  const usage = steps.length === 1 ? uiUsage(metadata?.usage) : undefined;
  const model = nonEmptyText(metadata?.model) ?? nonEmptyText(metadata?.modelId);
  for (const [index, step] of steps.entries()) {
    const results: { readonly call: ToolCallPart; readonly part: ForeignObject }[] = [];
    const parts = step.map((value, position): Part => {
      const part = objectOf(value);
      const toolName = part && toolNameOf(part);
      if (part === undefined || toolName === undefined || part.providerExecuted === true) return aiSdkPart(value);
      const call = readCall(part, toolName, draft, `call-${place.id}-${index}-${position}`);
      results.push({ call, part });
      return call;
    });
    const id = index === 0 ? place.id : `${place.id}.step-${index + 1}`;
    const own = { ...(model !== undefined && { model }), ...(usage && { usage }) };
    const messageId = draft.add({ ...place, id, role: "assistant", parts, ...own });
    if (compactionIn(parts)) draft.compactions.push({ messageId, trigger: "server" });
    addResults(results, messageId, { draft, place });
  }
}

function addResults(
  results: readonly { readonly call: ToolCallPart; readonly part: ForeignObject }[],
  messageId: MessageId,
  { draft, place }: AiSdkEntry,
): void {
  for (const [index, { call, part }] of results.entries()) {
    const ended = uiResult(objectOf(part.toolInvocation) ?? part);
    if (ended === undefined) continue;
    const result = { toolName: call.toolName, callId: call.callId, ...ended };
    draft.add({ ...place, id: `${messageId}.result-${index}`, role: "tool", parts: [{ type: "tool-result", result }] });
  }
}

/** Parts of one call of the model each: every step but the first begins with a part that says so. */
function stepsOf(parts: readonly unknown[]): readonly (readonly unknown[])[] {
  const steps: unknown[][] = [[]];
  for (const value of parts) {
    const type = textOf(objectOf(value)?.type) ?? "";
    if (type === "step-start" && (steps.at(-1)?.length ?? 0) > 0) steps.push([]);
    if (!NON_PROMPT.test(type)) steps.at(-1)?.push(value);
  }
  return steps;
}

function readCall(part: ForeignObject, toolName: string, draft: SessionDraft, standIn: string): ToolCallPart {
  return aiSdkCall(objectOf(part.toolInvocation) ?? part, toolName, draft, standIn);
}

/** Tools known when the program was written have their name in the type, others in a field. Version 4 nests both. */
function toolNameOf(part: ForeignObject): string | undefined {
  const type = textOf(part.type) ?? "";
  if (type === "dynamic-tool") return textOf(part.toolName) ?? "";
  if (type === "tool-invocation") return textOf(objectOf(part.toolInvocation)?.toolName) ?? "";
  return type.startsWith("tool-") && part.toolCallId !== undefined ? type.slice("tool-".length) : undefined;
}

/** Usage as the AI SDK reports it, where the program stored it with the message: input includes cached tokens. */
function uiUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const inputTokens = countOf(usage?.inputTokens) ?? 0;
  const outputTokens = countOf(usage?.outputTokens) ?? 0;
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const input = objectOf(usage?.inputTokenDetails);
  return withoutUndefined({
    inputTokens,
    outputTokens,
    cacheReadTokens: countOf(input?.cacheReadTokens) ?? countOf(usage?.cachedInputTokens),
    cacheWriteTokens: countOf(input?.cacheWriteTokens),
    reasoningTokens: countOf(objectOf(usage?.outputTokenDetails)?.reasoningTokens) ?? countOf(usage?.reasoningTokens),
  } as Usage);
}
