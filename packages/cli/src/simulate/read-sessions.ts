import { ThreadfoldError } from "@threadfold/core";
import { type RecordedSession, recordedSession } from "@threadfold/simulation";
import type { CliContext, CliWarning } from "../cli-command.ts";
import { importWarnings } from "../compact/compact-warnings.ts";
import type { SourceRequest } from "../parse/source-options.ts";
import { importSource } from "../source/import-source.ts";

/** The sessions that could be read, and what is to be said of the others. */
export interface ReadSessions {
  readonly sessions: readonly RecordedSession[];
  readonly warnings: readonly CliWarning[];
}

/** How much of the command's work reading is. */
export const READING_SHARE = 0.05;

/**
 * Reads every session. Of many files one that cannot be read is told of and left out; when none is left, that is a
 * failure.
 *
 * @throws ThreadfoldError what importing throws for the first file when none can be read, and `ABORTED`.
 */
export async function readSessions(
  sources: readonly SourceRequest[],
  { io, progress }: CliContext,
): Promise<ReadSessions> {
  const sessions: RecordedSession[] = [];
  const warnings: CliWarning[] = [];
  const failures: ThreadfoldError[] = [];
  for (const [index, source] of sources.entries()) {
    const { file } = source;
    progress.update("reading", (READING_SHARE * index) / sources.length);
    try {
      const imported = await importSource(source, io);
      sessions.push(recordedSession(imported, file));
      warnings.push(...importWarnings(imported).map(({ code, message }) => ({ code, message: `${file}: ${message}` })));
    } catch (error) {
      if (!ThreadfoldError.isInstance(error) || error.code === "ABORTED") throw error;
      failures.push(error);
      warnings.push({ code: "session-left-out", message: `${file} is left out: ${error.message}` });
    }
  }
  if (sessions.length === 0 && failures[0] !== undefined) throw failures[0];
  return { sessions, warnings };
}
