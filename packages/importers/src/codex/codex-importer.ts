import { ResponseTranscript } from "../openai-responses/response-transcript.ts";
import { nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import { importing, type SessionImporter } from "../session/session-importer.ts";
import { type CodexLine, CodexReader, codexLine } from "./codex-reader.ts";

/** Imports rollouts of the Codex CLI. */
export const codexImporter: SessionImporter = {
  format: "codex",
  detect: detectCodex,
  ...importing(function* (source, draft) {
    const lines = source.records.map(codexLine);
    const transcript = new ResponseTranscript(draft, isHarnessText);
    const reader = new CodexReader(draft, transcript);
    for (const [index, { line }] of source.records.entries()) {
      yield;
      const read = lines[index];
      if (read === undefined) draft.reportMalformed({ line }, "it is not a line of a rollout");
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
  }),
};

/**
 * The ids in the log's headers, in order. A forked or resumed rollout repeats headers, including those of its parents.
 */
function sessionIdsOf(lines: readonly (CodexLine | undefined)[], draft: SessionDraft): readonly string[] {
  const headers = lines.filter((line) => line?.type === "session_meta");
  const ids = [...new Set(headers.flatMap((line) => nonEmptyText(line?.payload.id) ?? []))];
  if (ids.length > 1) draft.warnings.push({ kind: "several-session-ids", ids: ids.map((id) => id.toWellFormed()) });
  return ids;
}

/** The instructions of the first header that has any: a text, or an object that contains it. */
function systemOf(lines: readonly (CodexLine | undefined)[]): readonly string[] {
  for (const line of lines) {
    if (line?.type !== "session_meta") continue;
    const { base_instructions: base, instructions } = line.payload;
    const text = nonEmptyText(textOf(base) ?? objectOf(base)?.text ?? instructions)?.toWellFormed();
    if (text !== undefined) return [text];
  }
  return [];
}

/** How many records are examined. */
const SAMPLE = 50;

const TYPES = new Set([
  ...["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"],
  "inter_agent_communication_metadata",
]);

/**
 * Returns the confidence, from 0 to 1, that the source is a Codex rollout: it has lines in Codex's envelope, or the
 * header of the earliest rollouts.
 */
function detectCodex({ records }: SourceRecords): number {
  for (const { value } of records.slice(0, SAMPLE)) {
    const line = objectOf(value);
    if (objectOf(line?.payload) !== undefined && TYPES.has(textOf(line?.type) ?? "")) return 1;
  }
  const header = objectOf(records[0]?.value);
  const isHeader = textOf(header?.id) !== undefined && header?.type === undefined && header?.role === undefined;
  return isHeader && records.length > 1 && "instructions" in (header ?? {}) ? 0.97 : 0;
}

/** Prefixes of texts that Codex, not a person, puts into user messages. */
const HARNESS_PREFIXES = [
  "<environment_context>",
  "<user_instructions>",
  "<INSTRUCTIONS>",
  "# AGENTS.md instructions for ",
  "# AGENTS.md instructions\n\n<INSTRUCTIONS>",
  "<permissions instructions>",
  "<turn_aborted>",
  "<user_shell_command>",
  "<subagent_notification>",
  "<skill>",
  "<goal_context>",
  "<codex_internal_context ",
  "<extension_context>",
  "<recommended_plugins>",
  "<hook_prompt ",
  "<external_",
  "Warning: The maximum number of unified exec processes you can keep open is",
  "Warning: apply_patch was requested via ",
] as const;

/** Checks whether a text in a user message comes from Codex rather than from a person. */
function isHarnessText(text: string): boolean {
  return HARNESS_PREFIXES.some((prefix) => text.startsWith(prefix));
}
