import type { SystemEntry } from "@threadfold/core";
import { nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import { importing, type SessionImporter } from "../session/session-importer.ts";
import { type CopilotEvent, copilotEvent, copilotReferences } from "./copilot-events.ts";
import { CopilotTranscript } from "./copilot-transcript.ts";

/**
 * Imports sessions of GitHub Copilot CLI: the `events.jsonl` in a session's folder under `~/.copilot/session-state`, what
 * `copilot --output-format json` prints, and the transcripts that VS Code writes in the same form.
 */
export const copilotCliImporter: SessionImporter = {
  format: "copilot-cli",
  detect: detectCopilot,
  ...importing(function* (source, draft) {
    const events = source.records.map(copilotEvent);
    yield;
    const transcript = new CopilotTranscript(draft, copilotReferences(events));
    draft.startAt(beginningOf(events)?.data.startTime);
    for (const [index, event] of events.entries()) {
      yield;
      if (event !== undefined) transcript.read(event);
      else skipRest(source.records[index], draft);
    }
    transcript.finish();
    const sessionId = sessionIdOf(events, source, draft);
    const model = newestModel(draft.messages) ?? transcript.model;
    return {
      records: events.length,
      system: systemOf(events),
      tools: [],
      ...(sessionId !== undefined && { sessionId }),
      ...(model !== undefined && { model }),
    };
  }),
};

/** How many records are examined: a printed session begins with many settings. */
const SAMPLE = 200;

/** Returns the confidence, from 0 to 1, that the source is in this format: it has the events that only Copilot writes. */
function detectCopilot({ records }: SourceRecords): number {
  const events = records.slice(0, SAMPLE).flatMap((record) => copilotEvent(record) ?? []);
  const isOwn = ({ type, data }: CopilotEvent) =>
    (type === "session.start" && textOf(data.sessionId) !== undefined) ||
    ((type === "user.message" || type === "assistant.message") && textOf(data.content) !== undefined);
  return events.some(isOwn) ? 1 : 0;
}

const beginningOf = (events: readonly (CopilotEvent | undefined)[]): CopilotEvent | undefined =>
  events.find((event) => event?.type === "session.start");

/** A record without data is no event, except for the one that ends what was printed. */
function skipRest(record: SourceRecords["records"][number] | undefined, draft: SessionDraft): void {
  const line = record?.line ?? 0;
  if (objectOf(record?.value)?.type === "result") draft.skip("result", line);
  else draft.reportMalformed({ line }, "it is not an event with a type and data");
}

/** The id in the first event of the log or, in what was printed, in its last record. */
function sessionIdOf(
  events: readonly (CopilotEvent | undefined)[],
  { records }: SourceRecords,
  draft: SessionDraft,
): string | undefined {
  const begun = events.filter((event) => event?.type === "session.start");
  const ids = [...new Set(begun.flatMap((event) => nonEmptyText(event?.data.sessionId) ?? []))];
  if (ids.length > 1) draft.warnings.push({ kind: "several-session-ids", ids: ids.map((id) => id.toWellFormed()) });
  return ids[0] ?? nonEmptyText(objectOf(records.at(-1)?.value)?.sessionId);
}

/** The newest instructions of each role: they are recorded again whenever they change. */
function systemOf(events: readonly (CopilotEvent | undefined)[]): readonly SystemEntry[] {
  const newest = new Map<unknown, SystemEntry>();
  for (const event of events) {
    if (event?.type !== "system.message" || event.branch !== undefined) continue;
    const text = nonEmptyText(event.data.content)?.toWellFormed();
    const { role } = event.data;
    if (text !== undefined) newest.set(role, role === "developer" ? { text, role } : text);
  }
  return [...newest.values()];
}
