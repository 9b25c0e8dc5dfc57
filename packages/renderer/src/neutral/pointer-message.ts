import { type ExternalizationRecord, type SummaryRole, spanIdsInMemory } from "@threadfold/core";
import type { Draft } from "./draft.ts";
import { derivedDraft, type MadeMessage, madeDraft } from "./made-draft.ts";
import { END_OF_HISTORY, framedSummary } from "./summary-frame.ts";

/** First line of everything that points to an artifact. */
export const pointerHeader = ({ artifactId }: ExternalizationRecord): string =>
  `[Externalized Content - artifact:${artifactId}]`;

/** Says how to read an artifact back. */
export const retrievalLine = ({ artifactId }: ExternalizationRecord): string =>
  `To retrieve full content, call: read_artifact("${artifactId}")`;

const pointerDraft = derivedDraft((record: ExternalizationRecord, _key: null) =>
  [pointerHeader(record), `Summary: ${framedSummary(record.summary)}`, retrievalLine(record), END_OF_HISTORY].join(
    "\n",
  ),
);

/** The message that stands for an externalized span (seed 002), at the place of the span's first message. */
export function pointerMessage(record: ExternalizationRecord, ordinal: number, role: SummaryRole): readonly Draft[] {
  const made: Omit<MadeMessage, "role"> = {
    synthetic: "pointer",
    action: "externalize",
    share: "pointers",
    ordinal,
    record,
  };
  const sources = spanIdsInMemory(record.span);
  if (role !== "pair") return [pointerDraft(record, null, { ...made, role, sources })];
  const question = `What is in artifact ${record.artifactId}?`;
  return [
    madeDraft(question, { ...made, role: "user" }),
    pointerDraft(record, null, { ...made, role: "assistant", sources }),
  ];
}
