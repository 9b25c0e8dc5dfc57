import { asToolCallId, type ProviderAwareTokenizer, type ToolCallPart, type ToolResultPart } from "@threadfold/core";
import { derivation } from "../neutral/derivation.ts";
import { countPart } from "./count-part.ts";

/** A part that names a call. */
export type NamedPart = ToolCallPart | ToolResultPart;

const origins = new WeakMap<object, NamedPart>();

/** The same call or result under another call id. */
export const renamedPart = derivation((part: NamedPart, id: string): NamedPart => {
  const callId = asToolCallId(id);
  const renamed = part.type === "tool-call" ? { ...part, callId } : { ...part, result: { ...part.result, callId } };
  origins.set(renamed, part);
  return renamed;
});

/** The part that a renamed one was made from; undefined for any other part. */
export const originOf = (part: object): NamedPart | undefined => origins.get(part);

/**
 * What another call id costs, in tokens: counted on the call or result without its body, which stays as it is and may be
 * large.
 */
export function renamingTokens(renamed: object, origin: NamedPart, tokenizer: ProviderAwareTokenizer): number {
  return (
    countPart(withoutBody(renamed as NamedPart, null), tokenizer) - countPart(withoutBody(origin, null), tokenizer)
  );
}

const withoutBody = derivation((part: NamedPart, _key: null): NamedPart => {
  if (part.type === "tool-result") return { ...part, result: { ...part.result, content: { type: "text", text: "" } } };
  const { invalidInput: _text, ...call } = part;
  return { ...call, input: {} };
});
