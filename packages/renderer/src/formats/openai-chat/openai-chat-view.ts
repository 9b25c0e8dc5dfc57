import type { HostFields } from "../../input/host-fields.ts";
import { asList, asText, at, isPlainObject, type PlainObject } from "../../legality/legality-rule.ts";
import type { WireReference, WireStep } from "../../legality/pairing.ts";

/** A call and its position. */
export interface PlacedCall {
  readonly call: PlainObject;
  readonly message: number;
  readonly index: number;
}

/** A payload as the rules see it. Built once, without copying any text. */
export interface OpenAIChatView {
  readonly payload: PlainObject;
  readonly messages: readonly PlainObject[];
  readonly calls: readonly PlacedCall[];
  readonly steps: readonly WireStep[];
  /** The field `response_format`, from the payload or else as the host declared it. */
  readonly responseFormat: unknown;
}

export function openaiChatView(payload: unknown, host?: HostFields): OpenAIChatView {
  const body = isPlainObject(payload) ? payload : {};
  const messages = asList(body.messages).map((message) => (isPlainObject(message) ? message : {}));
  const calls = messages.flatMap(callsOf);
  const responseFormat = body.response_format ?? host?.responseFormat;
  return { payload: body, messages, calls, steps: stepsOf(messages), responseFormat };
}

function callsOf(message: PlainObject, index: number): readonly PlacedCall[] {
  return asList(message.tool_calls).map((call, place) => ({
    call: isPlainObject(call) ? call : {},
    message: index,
    index: place,
  }));
}

function stepsOf(messages: readonly PlainObject[]): readonly WireStep[] {
  const steps: (
    | { readonly kind: "calls" | "results"; readonly references: WireReference[] }
    | { readonly kind: "speech" }
  )[] = [];
  messages.forEach((message, index) => {
    const open = steps.at(-1);
    if (message.role === "tool") {
      const reference = { id: asText(message.tool_call_id) ?? "", place: at(index) };
      if (open?.kind === "results") open.references.push(reference);
      else steps.push({ kind: "results", references: [reference] });
    } else if (message.role === "assistant") {
      steps.push({ kind: "calls", references: callsOf(message, index).map(referenceOf) });
    } else steps.push({ kind: "speech" });
  });
  return steps;
}

const referenceOf = ({ call, message, index }: PlacedCall): WireReference => ({
  id: asText(call.id) ?? "",
  place: at(message, undefined, `tool_calls[${index}]`),
});
