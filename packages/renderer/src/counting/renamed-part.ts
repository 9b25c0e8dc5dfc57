import { asToolCallId, type ProviderAwareTokenizer, type ToolCallPart, type ToolResultPart } from "@threadfold/core";
import { derivation } from "../neutral/derivation.ts";

/** A part that names a call. */
export type NamedPart = ToolCallPart | ToolResultPart;

/** What a renamed part was made from, and what its other id costs by the counter that was last asked. */
interface Renaming {
  readonly origin: NamedPart;
  tokenizer: string | null;
  tokens: number;
}

const renamings = new WeakMap<object, Renaming>();

/** The same call or result under another call id. */
export const renamedPart = derivation((part: NamedPart, id: string): NamedPart => {
  const callId = asToolCallId(id);
  const renamed = part.type === "tool-call" ? { ...part, callId } : { ...part, result: { ...part.result, callId } };
  renamings.set(renamed, { origin: part, tokenizer: null, tokens: 0 });
  return renamed;
});

/** The part that a renamed one was made from; undefined for any other part. */
export const originOf = (part: object): NamedPart | undefined => renamings.get(part)?.origin;

/**
 * What another call id costs, in tokens; 0 for a part that was not renamed. Counted on the call or result without its
 * body, which stays as it is and may be large.
 */
export function renamingTokens(part: object, tokenizer: ProviderAwareTokenizer): number {
  const renaming = renamings.get(part);
  if (renaming === undefined) return 0;
  if (renaming.tokenizer !== tokenizer.id) {
    const before = tokenizer.countPart(withoutBody(renaming.origin));
    renaming.tokens = tokenizer.countPart(withoutBody(part as NamedPart)) - before;
    renaming.tokenizer = tokenizer.id;
  }
  return renaming.tokens;
}

function withoutBody(part: NamedPart): NamedPart {
  if (part.type === "tool-result") return { ...part, result: { ...part.result, content: { type: "text", text: "" } } };
  const { invalidInput: _text, ...call } = part;
  return { ...call, input: {} };
}
