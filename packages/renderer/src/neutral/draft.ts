import type { ChatMessage, Message, PlanRecord, TokenBreakdown } from "@threadfold/core";
import type { RenderedAction } from "../manifest/render-manifest.ts";

/** A message on its way into a request: what will be sent, and where it comes from. */
export interface Draft {
  readonly chat: ChatMessage;
  readonly action: RenderedAction;
  /** The share of the breakdown that its tokens go to. */
  readonly share: keyof TokenBreakdown;
  /** The record that folded it; null when no record did. */
  readonly record: PlanRecord | null;
  /** The message of the thread that it shows, whole or emptied; null when rendering made it. */
  readonly message: Message | null;
  /** Place in the thread: ordinal of the first message that it stands for. */
  readonly ordinal: number;
}

/** A draft with other content. */
export function withParts(draft: Draft, parts: ChatMessage["parts"]): Draft {
  return { ...draft, chat: { ...draft.chat, parts } };
}

/** The ids of the calls that a draft makes, in order. */
export function callsOf({ chat }: Draft): readonly string[] {
  if (chat.role !== "assistant") return [];
  const calls: string[] = [];
  for (const part of chat.parts) if (part.type === "tool-call") calls.push(part.callId);
  return calls;
}

/** The id of the call that a draft answers; undefined when it is no result. */
export function answersOf({ chat }: Draft): string | undefined {
  const part = chat.role === "tool" ? chat.parts[0] : undefined;
  return part?.type === "tool-result" ? part.result.callId : undefined;
}
