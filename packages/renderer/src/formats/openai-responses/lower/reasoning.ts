import type { JsonObject, ReasoningPart } from "@threadfold/core";
import type { ResponsesReasoning } from "../wire-types.ts";
import { openaiMetadata } from "./item-ids.ts";

/** Reasoning goes back as the item that it came as, where the log has it; else as its summary and its encrypted self. */
export function lowerReasoning(part: ReasoningPart, id: string | undefined): ResponsesReasoning {
  const item = Object(openaiMetadata(part)?.["item"]) as JsonObject;
  const summary = textsOf(item["summary"], "summary_text");
  const content = textsOf(item["content"], "reasoning_text");
  return {
    type: "reasoning",
    ...(id !== undefined && { id }),
    summary: summary ?? (part.text === "" ? [] : [{ type: "summary_text", text: part.text }]),
    ...(content !== undefined && { content }),
    encrypted_content: part.encrypted ?? "",
  };
}

/** A list of texts as the provider wrote it; undefined for anything else. */
function textsOf<Type extends string>(
  value: unknown,
  type: Type,
): readonly { readonly type: Type; readonly text: string }[] | undefined {
  const isList =
    Array.isArray(value) && value.every((one) => Object(one).type === type && typeof one.text === "string");
  return isList ? (value as { readonly type: Type; readonly text: string }[]) : undefined;
}
