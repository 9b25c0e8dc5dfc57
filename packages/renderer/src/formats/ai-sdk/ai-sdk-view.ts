import { asList, asText, at, isPlainObject, type Place, type PlainObject } from "../../legality/legality-rule.ts";
import type { WireReference, WireStep } from "../../legality/pairing.ts";

/** A part and its position. */
export interface PlacedPart {
  readonly part: PlainObject;
  readonly role: string;
  readonly message: number;
  readonly index: number;
}

/** A prompt as the rules see it. Built once, without copying any text. */
export interface AiSdkView {
  readonly payload: PlainObject;
  readonly messages: readonly PlainObject[];
  readonly parts: readonly PlacedPart[];
  readonly steps: readonly WireStep[];
  /**
   * The messages that follow a prefix that was changed after they were written, according to the manifest; null when
   * there are none, undefined when unknown.
   */
  readonly edited: MessageRange | null | undefined;
}

/** Messages from one index up to, but not including, another. */
export interface MessageRange {
  readonly from: number;
  readonly to: number;
}

export function aiSdkView(payload: unknown, edited?: MessageRange | null): AiSdkView {
  const body = isPlainObject(payload) ? payload : {};
  const messages = asList(body.messages).map((message) => (isPlainObject(message) ? message : {}));
  return { payload: body, messages, parts: messages.flatMap(partsOf), steps: stepsOf(messages), edited };
}

/** Content that is a plain string counts as one text part. */
function partsOf({ content, role }: PlainObject, message: number): readonly PlacedPart[] {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : asList(content);
  return parts.map((part, index) => ({
    part: isPlainObject(part) ? part : {},
    role: asText(role) ?? "",
    message,
    index,
  }));
}

function stepsOf(messages: readonly PlainObject[]): readonly WireStep[] {
  const steps: (
    | { readonly kind: "calls" | "results"; readonly references: WireReference[] }
    | { readonly kind: "speech" }
  )[] = [];
  messages.forEach((message, index) => {
    const parts = partsOf(message, index);
    const open = steps.at(-1);
    if (message.role === "assistant") steps.push({ kind: "calls", references: callsOf(parts) });
    else if (message.role !== "tool") steps.push({ kind: "speech" });
    else if (open?.kind !== "results") steps.push({ kind: "results", references: references(parts, "tool-result") });
    else for (const one of references(parts, "tool-result")) open.references.push(one);
  });
  return steps;
}

/** Calls that the provider ran itself are answered in the same message, if at all. */
function callsOf(parts: readonly PlacedPart[]): WireReference[] {
  return references(
    parts.filter(({ part }) => part.providerExecuted !== true),
    "tool-call",
  );
}

function references(parts: readonly PlacedPart[], type: string): WireReference[] {
  return parts
    .filter(({ part }) => part.type === type)
    .map((placed) => {
      const { toolCallId, toolName } = placed.part;
      return { id: asText(toolCallId) ?? "", place: placeOf(placed), name: asText(toolName) };
    });
}

export const placeOf = ({ message, index }: PlacedPart, field?: string): Place => at(message, index, field);
