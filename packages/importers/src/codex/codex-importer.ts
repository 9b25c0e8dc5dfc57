import { newestModel } from "../draft/newest-model.ts";
import type { SessionDraft } from "../draft/session-draft.ts";
import { ResponseTranscript } from "../openai-responses/response-transcript.ts";
import { nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SessionImporter } from "../session-importer.ts";
import { type CodexLine, codexLine } from "./codex-line.ts";
import { CodexReader } from "./codex-reader.ts";
import { detectCodex } from "./detect-codex.ts";
import { isHarnessText } from "./harness-text.ts";

/** Rollouts of the Codex CLI. */
export const codexImporter: SessionImporter = {
  format: "codex",
  detect: detectCodex,
  import(source, draft) {
    const lines = source.records.map(codexLine);
    const transcript = new ResponseTranscript(draft, isHarnessText);
    const reader = new CodexReader(draft, transcript);
    for (const [index, { line }] of source.records.entries()) {
      const read = lines[index];
      if (read === undefined) draft.reportMalformed({ line }, "it is no line of a rollout");
      else reader.read(read);
    }
    transcript.finish();
    const [sessionId] = sessionIdsOf(lines, draft);
    const model = newestModel(draft.messages) ?? transcript.model;
    return {
      records: lines.length,
      system: systemOf(lines),
      tools: [],
      ...(sessionId !== undefined && { sessionId }),
      ...(model !== undefined && { model }),
    };
  },
};

/** Ids that the log's headers name, in order. A forked or resumed rollout repeats headers, also those of its parents. */
function sessionIdsOf(lines: readonly (CodexLine | undefined)[], draft: SessionDraft): readonly string[] {
  const headers = lines.filter((line) => line?.type === "session_meta");
  const ids = [...new Set(headers.flatMap((line) => nonEmptyText(line?.payload.id) ?? []))];
  if (ids.length > 1) draft.warnings.push({ kind: "several-session-ids", ids: ids.map((id) => id.toWellFormed()) });
  return ids;
}

/** The instructions of the first header that has some: text, or an object around it. */
function systemOf(lines: readonly (CodexLine | undefined)[]): readonly string[] {
  for (const line of lines) {
    if (line?.type !== "session_meta") continue;
    const { base_instructions: base, instructions } = line.payload;
    const text = nonEmptyText(textOf(base) ?? objectOf(base)?.text ?? instructions)?.toWellFormed();
    if (text !== undefined) return [text];
  }
  return [];
}
