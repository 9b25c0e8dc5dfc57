import type { ChatMessage, Part } from "@threadfold/core";
import type { FormatRequirements, OpaquePair } from "../capabilities/format-requirements.ts";
import { type Draft, withParts } from "../neutral/draft.ts";
import { mapDrafts, type Repair, withDrafts } from "./conformance.ts";

/**
 * Leaves out opaque items that may only go out together with another one: calls of hosted tools that nobody answered, and
 * answers to what is not shown (W1, W2). Of several items for one key the first call and the first answer behind it stay.
 */
export const leaveOutLoneItems: Repair = {
  name: "leave-out-lone-items",
  apply(request, { requirements, warnings, ends }) {
    const { opaquePairs = [] } = requirements;
    if (opaquePairs.length === 0) return request;
    const { paired, open } = pairItems(
      request.drafts.map(({ chat }) => chat),
      requirements,
    );
    const stays = (part: Part): boolean => paired.has(part) || (ends.last && open.has(part));
    const drafts = mapDrafts(request.drafts, (draft) => {
      const parts = draft.chat.parts.filter((part) => pairKey(part, opaquePairs) === undefined || stays(part));
      if (parts.length === draft.chat.parts.length) return draft;
      warnings.leaveOut("opaque-left-out", "without-partner", draft.chat.sources);
      return parts.length === 0 ? null : withParts(draft, parts);
    });
    return withDrafts(request, drafts);
  },
};

/** True when the provider is to go on with a call that messages leave open: nothing may be said behind them. */
export const leaveItemOpen = (messages: readonly ChatMessage[], requirements: FormatRequirements): boolean =>
  requirements.opaquePairsInLoop === true && pairItems(messages, requirements).open.size > 0;

interface ItemPairs {
  /** Calls and answers that have each other. */
  readonly paired: ReadonlySet<Part>;
  /** Calls that may still be answered: nobody spoke since. Empty where a call never goes out without its answer. */
  readonly open: ReadonlySet<Part>;
}

export function pairItems(
  messages: readonly ChatMessage[],
  { opaquePairs = [], opaquePairsInLoop }: FormatRequirements,
): ItemPairs {
  const inLoop = opaquePairsInLoop === true;
  const paired = new Set<Part>();
  const called = new Set<string>();
  const open = new Map<string, Part>();
  for (const { role, parts } of messages) {
    if (inLoop && role !== "assistant" && role !== "tool") open.clear();
    for (const part of parts) {
      const item = pairKey(part, opaquePairs);
      if (item === undefined) continue;
      if (item.isCall && !called.has(item.key)) open.set(item.key, part);
      if (item.isCall) called.add(item.key);
      const call = item.isCall ? undefined : open.get(item.key);
      if (call === undefined) continue;
      open.delete(item.key);
      paired.add(call).add(part);
    }
  }
  return { paired, open: new Set(inLoop ? open.values() : []) };
}

/** What a call and its answer have in common; undefined for anything else. */
function pairKey(
  part: Part,
  pairs: readonly OpaquePair[],
): { readonly key: string; readonly isCall: boolean } | undefined {
  if (part.type !== "opaque") return undefined;
  const value = Object(part.value) as Readonly<Record<string, unknown>>;
  const type = String(value["type"]);
  const pair = pairs.find(({ call, answer }) => type === call || isAnswer(type, answer));
  if (pair === undefined) return undefined;
  const isCall = type === pair.call;
  return { key: `${pair.call} ${String(value[pair.fields[isCall ? 0 : 1]])}`, isCall };
}

const isAnswer = (type: string, answer: string): boolean =>
  answer.startsWith("*") ? type.endsWith(answer.slice(1)) : type === answer;

/** Leaves out opaque items that stand in the request already, where the provider refuses to get one twice. */
export const leaveOutRepeatedItems: Repair = {
  name: "leave-out-repeated-items",
  apply(request, { requirements: { opaqueOnce }, warnings }) {
    if (opaqueOnce === undefined) return request;
    const seen = new Set<string>();
    const drafts = mapDrafts(request.drafts, (draft) => {
      const parts = draft.chat.parts.filter((part) => {
        const id = onceKey(part, opaqueOnce);
        return id === undefined || (!seen.has(id) && seen.add(id));
      });
      if (parts.length === draft.chat.parts.length) return draft;
      warnings.leaveOut("opaque-left-out", "repeated", draft.chat.sources);
      return parts.length === 0 ? null : withParts(draft, parts);
    });
    return withDrafts(request, drafts);
  },
};

/** What an opaque item shares with a repetition of it; undefined for anything else. */
function onceKey(part: Part, field: string): string | undefined {
  if (part.type !== "opaque") return undefined;
  const found = (Object(part.value) as Readonly<Record<string, unknown>>)[field];
  return typeof found === "string" ? found : undefined;
}

/**
 * By what the opaque items of a message are tied to others of the request: a call to its answer, an item to its repetition.
 * Two pieces of a request that share a key cannot be made legal apart from each other.
 */
export function itemKeys(
  { chat }: Draft,
  { opaquePairs = [], opaqueOnce }: Pick<FormatRequirements, "opaquePairs" | "opaqueOnce">,
): readonly string[] {
  if (opaquePairs.length === 0 && opaqueOnce === undefined) return [];
  return chat.parts.flatMap((part) => {
    const pair = pairKey(part, opaquePairs);
    const id = opaqueOnce === undefined ? undefined : onceKey(part, opaqueOnce);
    return [...(pair === undefined ? [] : [pair.key]), ...(id === undefined ? [] : [`${opaqueOnce} ${id}`])];
  });
}
