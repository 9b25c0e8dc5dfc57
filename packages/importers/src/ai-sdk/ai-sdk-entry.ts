import type { DraftMessage, SessionDraft } from "../draft/session-draft.ts";

/** Where a message of the AI SDK goes, and what it gets from its place. */
export interface AiSdkEntry {
  readonly draft: SessionDraft;
  readonly place: Pick<DraftMessage, "id" | "time" | "source">;
}
