import { finishSteps, type Steps, type SystemEntry, type ToolDefinition } from "@threadfold/core";
import type { SourceRecords } from "../reading/source-records.ts";
import type { SourceThread } from "../reading/source-threads.ts";
import type { ImportFormat } from "./imported-session.ts";
import type { SessionDraft } from "./session-draft.ts";

/**
 * Reads the logs of one tool. Pass custom importers to `importSession` as `importers`; those of this package are listed
 * in `IMPORTERS`.
 */
export interface SessionImporter {
  readonly format: ImportFormat;
  /**
   * Returns the confidence that the source is in this format, from 0 (cannot read it) to 1. Examines only the first
   * records.
   */
  detect(source: SourceRecords): number;
  /**
   * Returns the threads of a source that may contain several, in source order. Absent when a source is always one
   * thread.
   */
  threads?(source: SourceRecords): readonly SourceThread[];
  /**
   * Adds the source's messages to the draft. It is total: every record becomes a message, a malformed record or a
   * non-prompt record, whatever it contains, and no record makes it throw.
   */
  import(source: SourceRecords, draft: SessionDraft): DraftedSession;
  /** Like `import`, in steps, so that a long source does not block the event loop. When absent, `import` is used. */
  importInSteps?(source: SourceRecords, draft: SessionDraft): Steps<DraftedSession>;
}

type Importing = Required<Pick<SessionImporter, "import" | "importInSteps">>;

/** Returns both import methods, given the one in steps. */
export const importing = (importInSteps: Importing["importInSteps"]): Importing => ({
  importInSteps,
  import: (source, draft) => finishSteps(importInSteps(source, draft)),
});

/** What an importer extracts from a source, besides messages. */
export interface DraftedSession {
  /** The session id that the log itself contains. */
  readonly sessionId?: string;
  /** For a log without an id: the SHA-256 of how the session begins, see `openingOf`. */
  readonly opening?: string;
  /** Number of records that the importer processed. */
  readonly records: number;
  readonly system: readonly SystemEntry[];
  readonly tools: readonly ToolDefinition[];
  readonly model?: string;
}
