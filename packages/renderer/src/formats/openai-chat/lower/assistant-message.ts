import type { ChatMessage, JsonObject, JsonValue, ToolCallPart } from "@threadfold/core";
import { derivation } from "../../../neutral/derivation.ts";
import { isFreeTextCall } from "../../../neutral/free-text-call.ts";
import { isRefusal, partFields } from "./part-fields.ts";
import { lowerTexts } from "./texts.ts";

/** Content is null where there are only calls. Opaque items have no place here; reasoning, where it is sent, is a field. */
export function lowerAssistant({ parts, providerMetadata }: ChatMessage): JsonObject {
  const calls = parts.filter((part) => part.type === "tool-call");
  const refusals = parts.flatMap((part) =>
    part.type === "text" && isRefusal(part.providerMetadata) ? [part.text] : [],
  );
  const said =
    refusals.length === 0 ? parts : parts.filter((part) => part.type !== "text" || !isRefusal(part.providerMetadata));
  const text = lowerTexts(said);
  return {
    role: "assistant",
    content: contentOf(text, refusals, calls.length > 0),
    ...partFields(providerMetadata, "message"),
    ...(refusals.length > 0 && text !== "" && { refusal: refusals.join("\n") }),
    ...reasoningField(parts),
    ...(calls.length > 0 && { tool_calls: calls.map(lowerCall) }),
  };
}

/** A refusal alone is the one part of the content; beside other text it is a field of the message. */
function contentOf(text: JsonValue, refusals: readonly string[], hasCalls: boolean): JsonValue {
  if (text !== "") return text;
  if (refusals.length > 0) return [{ type: "refusal", refusal: refusals.join("\n") }];
  return hasCalls ? null : text;
}

/** Reasoning that a server of open models sent as text goes back in the field that it came in. */
function reasoningField(parts: ChatMessage["parts"]): JsonObject {
  const reasoning = parts.flatMap((part) => (part.type === "reasoning" && part.text !== "" ? [part] : []));
  const [first] = reasoning;
  if (first === undefined) return {};
  const field = first.providerMetadata?.openai?.field === "reasoning" ? "reasoning" : "reasoning_content";
  return { [field]: reasoning.map(({ text }) => text).join("\n") };
}

function lowerCall(part: ToolCallPart): JsonObject {
  const { callId: id, toolName: name, providerMetadata } = part;
  const more = partFields(providerMetadata, "call");
  if (isFreeTextCall(part)) return { id, type: "custom", custom: { name, input: freeText(part) }, ...more };
  return { id, type: "function", function: { name, arguments: argumentsOf(part, null) }, ...more };
}

/** A cleared input stands in an object under `_raw`. */
function freeText({ input }: ToolCallPart): string {
  const raw = typeof input === "object" && input !== null && "_raw" in input ? input._raw : input;
  return typeof raw === "string" ? raw : JSON.stringify(raw);
}

/** Arguments are JSON in a string, serialized once per call. */
const argumentsOf = derivation(({ input }: ToolCallPart, _key: null): string => JSON.stringify(input));
