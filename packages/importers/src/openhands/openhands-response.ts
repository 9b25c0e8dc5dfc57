import type { JsonValue, Part } from "@threadfold/core";
import type { DraftMessage, SessionDraft } from "../draft/session-draft.ts";
import { openaiCalls } from "../openai-chat/openai-calls.ts";
import { openaiContentParts, reasoningParts } from "../openai-chat/openai-parts.ts";
import { openaiUsage } from "../openai-chat/openai-usage.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer } from "../source-pointer.ts";

/** What the model said when it chose an action. */
export type SaidByModel = Pick<DraftMessage, "parts" | "model" | "usage">;

/** The response that an action came from: the raw completion in the log, or else what the action tells of it. */
export function responseOf(event: ForeignObject, draft: SessionDraft, at: SourcePointer): SaidByModel {
  const metadata = objectOf(event.tool_call_metadata);
  const completion = objectOf(metadata?.model_response);
  const message = objectOf(objectOf(listOf(completion?.choices)?.[0])?.message);
  if (message === undefined || listOf(message.tool_calls) === undefined)
    return { parts: partsOfAction(event, draft, at) };
  const usage = openaiUsage(completion?.usage);
  const model = nonEmptyText(completion?.model);
  return {
    parts: [
      ...reasoningParts(message, "openhands"),
      ...openaiContentParts(message.content).filter((part) => part.type !== "text" || part.text !== ""),
      ...openaiCalls(message, draft, at),
    ],
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
  };
}

/** The id of the response that an action came from; actions of one response have it in common. */
export const responseIdOf = (event: ForeignObject): string | undefined =>
  nonEmptyText(objectOf(objectOf(event.tool_call_metadata)?.model_response)?.id);

/** An action without the raw response: the thought, and a call of the tool with the action's arguments. */
function partsOfAction(event: ForeignObject, draft: SessionDraft, at: SourcePointer): readonly Part[] {
  const metadata = objectOf(event.tool_call_metadata);
  const { thought, ...args } = objectOf(event.args) ?? {};
  const toolName = textOf(metadata?.function_name) ?? textOf(event.action) ?? "";
  const callId = draft.calls.open(
    metadata?.tool_call_id ?? eventCallId(event.id),
    toolName,
    `call-${at.line}${at.path ?? ""}`,
  );
  const text = nonEmptyText(thought);
  return [
    ...(text === undefined ? [] : [{ type: "text", text } as const]),
    { type: "tool-call", callId, toolName, input: args as JsonValue },
  ];
}

/** The id of a call that the log gives none: that of its event, by which the observation names its cause. */
export const eventCallId = (id: unknown): string | undefined =>
  typeof id === "number" || typeof id === "string" ? `event-${id}` : undefined;
