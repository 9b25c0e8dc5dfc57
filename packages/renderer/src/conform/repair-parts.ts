import type { MediaPart, Part } from "@threadfold/core";
import { type Draft, withParts } from "../neutral/draft.ts";
import { type Conformance, type PartPlace, type PartRepair, type Repair, withDrafts } from "./conformance.ts";
import { isDirective } from "./mark-system-notices.ts";
import { leaveOutBlank, leaveOutBlankInResult, leaveOutOpaque } from "./parts/leave-out.ts";
import { replaceMedia, replaceMediaInResult } from "./parts/media.ts";
import { leaveOutWithReasoning, stripReasoning, stripSignature } from "./parts/reasoning.ts";
import { renameTool, repairReferencesFound, repairReferencesInResult, wrapToolInput } from "./parts/tool-parts.ts";

/** The parts of a kind. Images and documents are one type with two kinds. */
type PartOf<Kind extends Part["type"]> = Kind extends MediaPart["type"] ? MediaPart : Extract<Part, { type: Kind }>;

/** The repairs of each kind of part, in order. Adding one takes a file and a word here. */
const PART_REPAIRS: { readonly [Kind in Part["type"]]: readonly PartRepair<PartOf<Kind>>[] } = {
  text: [leaveOutBlank, stripSignature],
  reasoning: [stripReasoning],
  image: [replaceMedia],
  file: [replaceMedia],
  "tool-call": [wrapToolInput, renameTool, stripSignature],
  "tool-result": [replaceMediaInResult, repairReferencesInResult, leaveOutBlankInResult],
  opaque: [leaveOutOpaque, leaveOutWithReasoning, repairReferencesFound],
};

/** Repairs every part once, and leaves out messages that end up empty. */
export const repairParts: Repair = {
  name: "repair-parts",
  apply(request, conformance) {
    let latest = -1;
    let changed: Draft[] | undefined;
    for (let index = 0; index < request.drafts.length; index++) {
      const draft = request.drafts[index] as Draft;
      const repaired = repairDraft({ draft, behindMove: draft.ordinal < latest }, conformance);
      latest = Math.max(latest, draft.ordinal);
      if (repaired !== draft && changed === undefined) changed = request.drafts.slice(0, index);
      if (repaired !== null) changed?.push(repaired);
    }
    return changed === undefined ? request : withDrafts(request, changed);
  },
};

function repairDraft(place: PartPlace, conformance: Conformance): Draft | null {
  const { draft } = place;
  const { parts } = draft.chat;
  let changed: Part[] | undefined;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Part;
    const repaired = repairPart(part, place, conformance);
    if (repaired !== part && changed === undefined) changed = parts.slice(0, index);
    if (repaired !== null) changed?.push(repaired);
  }
  if ((changed ?? parts).length > 0 || isDirective(draft, conformance.requirements))
    return changed === undefined ? draft : withParts(draft, changed);
  conformance.warnings.add("message-left-out", draft.chat.sources);
  return null;
}

function repairPart(part: Part, place: PartPlace, conformance: Conformance): Part | null {
  let repaired: Part | null = part;
  // A repair returns a part of its kind, or a text instead, which needs no further repair.
  for (const repair of PART_REPAIRS[part.type] as readonly PartRepair<Part>[]) {
    if (repaired?.type === part.type) repaired = repair.apply(repaired, place, conformance);
  }
  return repaired;
}
