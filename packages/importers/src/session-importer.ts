import type { DraftedSession, SessionDraft } from "./draft/session-draft.ts";
import type { ImportFormat } from "./imported-session.ts";
import type { SourceRecords } from "./reading/source-records.ts";
import type { SourceThread } from "./reading/source-thread.ts";

/** Reads the logs of one tool. Adding a tool is one folder with its importer, and one line in `IMPORTERS`. */
export interface SessionImporter {
  readonly format: ImportFormat;
  /** How sure it is that the source is in its format, from 0 (it cannot read it) to 1. Looks at the first records only. */
  detect(source: SourceRecords): number;
  /** The threads of a source that may hold several, in its order. Absent where a source is always one thread. */
  threads?(source: SourceRecords): readonly SourceThread[];
  /**
   * Puts the source's messages into the draft. Total: every record becomes a message, a malformed record or a
   * non-prompt record, whatever it holds, and no record makes it throw.
   */
  import(source: SourceRecords, draft: SessionDraft): DraftedSession;
}
