import { finishSteps, type Steps, type SystemEntry, type ToolDefinition } from "@threadfold/core";
import type { SourceRecords } from "../reading/source-records.ts";
import type { SourceThread } from "../reading/source-threads.ts";
import type { ImportFormat } from "./imported-session.ts";
import type { SessionDraft } from "./session-draft.ts";

/** Reads the logs of one tool. One of your own is handed to `importSession` in `importers`; one that comes with this package has its line in `IMPORTERS`. */
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
  /** The same in steps, so that a long source does not hold up the event loop. Where it is absent, it is done at once. */
  importInSteps?(source: SourceRecords, draft: SessionDraft): Steps<DraftedSession>;
}

type Importing = Required<Pick<SessionImporter, "import" | "importInSteps">>;

/** Both ways to import, of the one in steps. */
export const importing = (importInSteps: Importing["importInSteps"]): Importing => ({
  importInSteps,
  import: (source, draft) => finishSteps(importInSteps(source, draft)),
});

/** What an importer makes of a source. */
export interface DraftedSession {
  /** The id that the log itself names. */
  readonly sessionId?: string;
  /** Without an id of its own: SHA-256 of how the session begins, see `openingOf`. */
  readonly opening?: string;
  /** How many records the importer went through. */
  readonly records: number;
  readonly system: readonly SystemEntry[];
  readonly tools: readonly ToolDefinition[];
  readonly model?: string;
}
