import { type ChatRequest, canonicalJson } from "@threadfold/core";
import type { FormatRequirements } from "../conform/format-requirements.ts";
import { leaveItemOpen, pairItems } from "../conform/leave-out-lone-items.ts";
import { asList, isPlainObject } from "../legality/plain-object.ts";
import type { ProviderFormat } from "./provider-format.ts";

/**
 * The messages of a lowered request in the pieces that a longer log may only add to: blocks where a message is a list.
 * System text and tools are apart: the log adds to them before anyone speaks, and when a tool that no one declared is used.
 */
export function requestUnits(format: ProviderFormat, request: ChatRequest): readonly string[] {
  const { messages, input, contents } = format.lower({ ...request, system: [], tools: [] }).payload;
  return asList(messages ?? input ?? contents).flatMap((message) => {
    const content = isPlainObject(message) ? (message.content ?? message.parts) : undefined;
    if (!isPlainObject(message) || !Array.isArray(content)) return [canonicalJson(message)];
    return content.map((block) => canonicalJson([message.role, block]));
  });
}

/**
 * How many messages of a request a later one must begin with: all but those that stand in for what the log had not got
 * yet, which is the end of the request, and a result that came in later. Null when that result answers another call.
 */
export function stableMessages(
  { rules: { requirements } }: ProviderFormat,
  earlier: ChatRequest,
  later: ChatRequest,
): number | null {
  const end = pausedFrom(earlier, requirements);
  for (let index = 0; index < end; index++) {
    const message = earlier.messages[index];
    if (message?.synthetic === "continuation" || message?.synthetic === "rehydration") return index;
    if (message?.synthetic !== "missing-result") continue;
    const answer = later.messages[index];
    if (answer?.synthetic === "missing-result") continue;
    return callOf(answer) === callOf(message) ? index : null;
  }
  return end;
}

/**
 * Where a call stands that the provider answers itself, and that may go later: when the user speaks before it is answered, or
 * a result that is still missing brings a picture, which a user message shows. With it goes an opening before it.
 */
function pausedFrom({ messages }: ChatRequest, requirements: FormatRequirements): number {
  const missing = messages.findIndex(({ synthetic }, index) => {
    return synthetic === "missing-result" && leaveItemOpen(messages.slice(0, index), requirements);
  });
  const { open } = pairItems(missing < 0 ? messages : messages.slice(0, missing), requirements);
  const paused = messages.findIndex(({ parts }) => parts.some((part) => open.has(part)));
  if (paused < 0) return messages.length;
  return messages[paused - 1]?.synthetic === "placeholder" ? paused - 1 : paused;
}

function callOf(message: ChatRequest["messages"][number] | undefined): string | undefined {
  const part = message?.parts[0];
  return part?.type === "tool-result" ? part.result.callId : undefined;
}
