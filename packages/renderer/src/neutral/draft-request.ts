import { type MessageId, type SystemEntry, systemText, type ViewEntry } from "@threadfold/core";
import type { RenderInput } from "../input/render-input.ts";
import type { Draft } from "./draft.ts";
import { type DraftInput, draftView } from "./draft-view.ts";
import { splitLeadingSystem } from "./split-system.ts";

/** A request of which no provider is known yet: system text, and the conversation. */
export interface DraftedRequest {
  /** The host's, then that of the system messages with which the thread begins. */
  readonly system: readonly SystemEntry[];
  /** Those system messages. */
  readonly sources: readonly MessageId[];
  readonly drafts: readonly Draft[];
}

/** Drafts a whole view. */
export function draftRequest(
  entries: Iterable<ViewEntry>,
  input: DraftInput & Pick<RenderInput, "system">,
): DraftedRequest {
  const { texts, sources, drafts } = splitLeadingSystem(draftView(entries, input));
  const host = input.system.filter((entry) => systemText(entry).trim() !== "");
  return { system: [...host, ...texts], sources, drafts };
}
