import type { Message, Part, ToolResultPart } from "@threadfold/core";
import type { ExportNotes } from "../exporting/export-notes.ts";
import { objectOf, textOf } from "../reading/foreign-value.ts";
import { piCallId, piContent } from "./pi-content.ts";

/** A message as an entry of pi, without its place in the tree. Undefined for one that the file has no place for. */
export function piMessageEntry(message: Message, notes: ExportNotes): object | undefined {
  const { role, parts, createdAt } = message;
  const timestamp = Date.parse(createdAt);
  switch (role) {
    case "user":
      return { type: "message", timestamp: createdAt, message: { role, content: piContent(parts, notes), timestamp } };
    case "assistant":
      return { type: "message", timestamp: createdAt, message: assistantMessage(message, timestamp, notes) };
    case "tool": {
      const result = parts.find((part): part is ToolResultPart => part.type === "tool-result");
      return result && { type: "message", timestamp: createdAt, message: resultMessage(result, timestamp, notes) };
    }
    case "system":
      notes.add("left-out-system");
      return undefined;
  }
}

function resultMessage(part: ToolResultPart, timestamp: number, notes: ExportNotes): object {
  const { toolName, outcome } = part.result;
  return {
    role: "toolResult",
    toolCallId: piCallId(part),
    toolName,
    content: piContent([part], notes),
    isError: outcome === "failure",
    timestamp,
  };
}

function assistantMessage({ parts, model, usage, metadata }: Message, timestamp: number, notes: ExportNotes): object {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  const { api, provider, stopReason } = objectOf(metadata) ?? {};
  return {
    role: "assistant",
    content: piContent(parts, notes),
    api: textOf(api) ?? apiOf(parts),
    provider: textOf(provider) ?? providerOf(parts),
    model: model ?? "unknown",
    usage: {
      input: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
      output: outputTokens,
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens,
      totalTokens: inputTokens + outputTokens,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: textOf(stopReason) ?? (parts.some(({ type }) => type === "tool-call") ? "toolUse" : "stop"),
    timestamp,
  };
}

/** The provider that signed something of the message, or that said something of one of its parts. */
function providerOf(parts: readonly Part[]): string {
  const named = parts.flatMap((part) => {
    if (part.type === "reasoning" && part.provider !== undefined) return part.provider;
    return part.type === "opaque" ? [] : Object.keys(part.providerMetadata ?? {});
  });
  return named[0] ?? "unknown";
}

const APIS: ReadonlyMap<string, string> = new Map([
  ["anthropic", "anthropic-messages"],
  ["openai", "openai-responses"],
  ["google", "google-generative-ai"],
]);

const apiOf = (parts: readonly Part[]): string => APIS.get(providerOf(parts)) ?? "unknown";
