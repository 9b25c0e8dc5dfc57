import type { Steps } from "@threadfold/core";
import { listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import { importing, type SessionImporter } from "../session/session-importer.ts";
import { agentOf, type ClaudeLine, claudeBranches, claudeLine, isStreamed } from "./claude-lines.ts";
import { ClaudeTranscript } from "./claude-transcript.ts";

/** Imports sessions that Claude Code writes in its projects folder. */
export const claudeCodeImporter: SessionImporter = {
  format: "claude-code",
  detect: detectClaudeCode,
  ...importing(function* (source, draft) {
    const lines = source.records.map(claudeLine);
    yield* readLines(lines, source, draft);
    const sessionIds = sessionIdsOf(lines);
    if (sessionIds.length > 1)
      draft.warnings.push({ kind: "several-session-ids", ids: sessionIds.map((id) => id.toWellFormed()) });
    const agentId = nonEmptyText(agentOf(lines)?.fields.agentId);
    const sessionId = sessionIds[0] && agentId ? `${sessionIds[0]}/${agentId}` : sessionIds[0];
    const model = newestModel(draft.messages);
    return {
      records: lines.length,
      system: [],
      tools: [],
      ...(sessionId && { sessionId }),
      ...(model !== undefined && { model }),
    };
  }),
};

function* readLines(
  lines: readonly (ClaudeLine | undefined)[],
  source: SourceRecords,
  draft: SessionDraft,
): Steps<void> {
  yield;
  const branches = claudeBranches(lines);
  yield;
  const duplicates = duplicateLines(lines, source);
  const transcript = new ClaudeTranscript(draft);
  for (const [index, { line }] of source.records.entries()) {
    yield;
    const claude = lines[index];
    if (claude === undefined) draft.reportMalformed({ line }, "it is not an object with a type");
    else if (duplicates.has(index)) skipDuplicate(claude, draft);
    else transcript.read(claude, branches[index]);
  }
  transcript.finish();
}

/** Finds lines that repeat an earlier one exactly, as resumed sessions may have them. */
function duplicateLines(
  lines: readonly (ClaudeLine | undefined)[],
  { records, source }: SourceRecords,
): ReadonlySet<number> {
  const firstByUuid = new Map<string, string>();
  const duplicates = new Set<number>();
  for (const [index, line] of lines.entries()) {
    if (line?.uuid === undefined) continue;
    const { start, end } = records[index] as SourceRecords["records"][number];
    const raw = source.text.slice(start, end);
    const first = firstByUuid.get(line.uuid);
    if (first === undefined) firstByUuid.set(line.uuid, raw);
    else if (first.trim() === raw.trim()) duplicates.add(index);
  }
  return duplicates;
}

function skipDuplicate({ line, uuid = "" }: ClaudeLine, draft: SessionDraft): void {
  draft.skip("duplicate", line);
  draft.warnings.push({ kind: "duplicate-record", at: { line }, id: uuid.toWellFormed() });
}

/** The session ids of lines that have messages, in order. */
function sessionIdsOf(lines: readonly (ClaudeLine | undefined)[]): readonly string[] {
  const ids = new Set<string>();
  for (const line of lines) {
    const id = line?.message === undefined ? undefined : nonEmptyText(line.fields.sessionId);
    if (id !== undefined) ids.add(id);
  }
  return [...ids];
}

/** How many records are examined: many summaries and snapshots may come first. */
const SAMPLE = 200;

/**
 * Returns the confidence, from 0 to 1, that the source is a Claude Code session: it has lines that wrap messages with
 * ids, or Claude Code's other records.
 */
function detectClaudeCode({ records }: SourceRecords): number {
  let sureness = 0;
  for (const { value } of records.slice(0, SAMPLE)) {
    const line = objectOf(value);
    const type = textOf(line?.type);
    if (line === undefined || type === undefined) continue;
    const message = objectOf(line.message);
    // Qwen Code writes the same lines around messages of Gemini's API.
    const isMessage = message?.role === type && (type === "user" || type === "assistant") && !listOf(message.parts);
    if (isMessage && (textOf(line.uuid ?? line.sessionId) !== undefined || isStreamed(line))) return 1;
    if (isMessage || isSideRecord(type, line)) sureness = 0.8;
  }
  return sureness;
}

function isSideRecord(type: string, line: Readonly<Record<string, unknown>>): boolean {
  if (type === "summary") return line.leafUuid !== undefined;
  if (type === "file-history-snapshot") return line.snapshot !== undefined;
  return (
    (type === "progress" || (type === "system" && line.systemPayload === undefined)) &&
    line.sessionId !== undefined &&
    line.uuid !== undefined
  );
}
