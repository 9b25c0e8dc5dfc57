import type { Part } from "@threadfold/core";
import { type Draft, withParts } from "../neutral/draft.ts";
import { mapDrafts, type Repair, withDrafts } from "./conformance.ts";
import type { OpaquePair } from "./format-requirements.ts";

/**
 * Leaves out opaque items that may only go out together with another one: calls of hosted tools that nobody answered, and
 * answers to what is not shown (W1, W2). Of several items for one key the first call and the first answer behind it stay.
 */
export const leaveOutLoneItems: Repair = {
  name: "leave-out-lone-items",
  apply(request, { requirements: { opaquePairs = [] }, warnings }) {
    if (opaquePairs.length === 0) return request;
    const paired = pairedItems(request.drafts, opaquePairs);
    const drafts = mapDrafts(request.drafts, (draft) => {
      const parts = draft.chat.parts.filter((part) => pairKey(part, opaquePairs) === undefined || paired.has(part));
      if (parts.length === draft.chat.parts.length) return draft;
      warnings.leaveOut("opaque-left-out", "without-partner", draft.chat.sources);
      return parts.length === 0 ? null : withParts(draft, parts);
    });
    return withDrafts(request, drafts);
  },
};

function pairedItems(drafts: readonly Draft[], pairs: readonly OpaquePair[]): ReadonlySet<Part> {
  const paired = new Set<Part>();
  const calls = new Map<string, Part>();
  for (const part of drafts.flatMap(({ chat }) => chat.parts)) {
    const item = pairKey(part, pairs);
    if (item === undefined) continue;
    const call = calls.get(item.key);
    if (item.isCall && call === undefined) calls.set(item.key, part);
    if (item.isCall || call === undefined || paired.has(call)) continue;
    paired.add(call).add(part);
  }
  return paired;
}

/** What a call and its answer have in common; undefined for anything else. */
export function pairKey(
  part: Part,
  pairs: readonly OpaquePair[],
): { readonly key: string; readonly isCall: boolean } | undefined {
  if (part.type !== "opaque") return undefined;
  const value = Object(part.value) as Readonly<Record<string, unknown>>;
  const pair = pairs.find(({ call, answer }) => value["type"] === call || value["type"] === answer);
  if (pair === undefined) return undefined;
  const isCall = value["type"] === pair.call;
  return { key: `${pair.call} ${String(value[pair.fields[isCall ? 0 : 1]])}`, isCall };
}
