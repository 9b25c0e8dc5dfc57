import { type ChatRequest, canonicalJson } from "@threadfold/core";
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
export function stableMessages(earlier: ChatRequest, later: ChatRequest): number | null {
  for (let index = 0; index < earlier.messages.length; index++) {
    const message = earlier.messages[index];
    if (message?.synthetic === "continuation" || message?.synthetic === "rehydration") return index;
    if (message?.synthetic !== "missing-result") continue;
    const answer = later.messages[index];
    if (answer?.synthetic === "missing-result") continue;
    return callOf(answer) === callOf(message) ? index : null;
  }
  return earlier.messages.length;
}

function callOf(message: ChatRequest["messages"][number] | undefined): string | undefined {
  const part = message?.parts[0];
  return part?.type === "tool-result" ? part.result.callId : undefined;
}
