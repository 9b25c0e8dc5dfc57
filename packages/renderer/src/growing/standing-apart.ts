import type { Part } from "@threadfold/core";
import { answersOf, callsOf, type Draft } from "../neutral/draft.ts";

/**
 * Where the last piece of a log begins that nothing before it and nothing in it ties to what comes before: with an
 * assistant message behind another speaker's, whose results stand in place, and whose ids are new. 0 when there is none.
 */
export function lastPieceStart(drafts: readonly Draft[], settledIds: ReadonlySet<string>): number {
  const start = drafts.findLastIndex((draft, index) => isPieceStart(draft, drafts[index - 1]));
  if (start <= 0) return 0;
  const before = new Set(drafts.slice(0, start).flatMap(idsOf));
  const piece = drafts.slice(start);
  const isFree = isApart(piece, settledIds) && isApart(piece, before) && isInPlace(piece);
  return isFree ? start : 0;
}

const isPieceStart = ({ chat, message }: Draft, before: Draft | undefined): boolean =>
  chat.role === "assistant" && message !== null && before !== undefined && before.chat.role !== "assistant";

/**
 * True when drafts neither name a call of those ids nor hold anything that repairs compare across messages: provider
 * items, and what only one provider knows of a part.
 */
export function isApart(drafts: readonly Draft[], ids: ReadonlySet<string>): boolean {
  return drafts.every((draft) => draft.chat.parts.every(isOrdinary) && idsOf(draft).every((id) => !ids.has(id)));
}

function isOrdinary(part: Part): boolean {
  if (part.type === "opaque" || part.providerMetadata !== undefined) return false;
  const isPlain = part.type !== "tool-result" || part.result.content.type !== "blocks";
  return isPlain || part.result.content.blocks.every(({ providerMetadata }) => providerMetadata === undefined);
}

/** The ids of the calls that a draft makes, or the one that it answers. */
export function idsOf(draft: Draft): readonly string[] {
  const answered = answersOf(draft);
  return answered === undefined ? callsOf(draft) : [answered];
}

/** True when every result stands behind its call, in the order of the calls, and no id is used twice. */
function isInPlace(drafts: readonly Draft[]): boolean {
  const seen = new Set<string>();
  for (let index = 0; index < drafts.length; index++) {
    const draft = drafts[index] as Draft;
    if (draft.chat.role === "tool") return false;
    for (const call of callsOf(draft)) {
      if (seen.has(call)) return false;
      seen.add(call);
      const next = drafts[index + 1];
      if (next !== undefined && answersOf(next) === call) index++;
    }
  }
  return true;
}
