import { type JsonObject, type MessageOrigin, type Part, toWellFormedJson } from "@threadfold/core";
import { anthropicUsage } from "../anthropic-messages/anthropic-messages.ts";
import {
  anthropicAssistantParts,
  anthropicPart,
  anthropicUserTurn,
  blocksOf,
} from "../anthropic-messages/anthropic-parts.ts";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  textOf,
  withoutUndefined,
} from "../reading/foreign-value.ts";
import type { ImportedCompaction } from "../session/imported-session.ts";
import { type DraftMessage, type SessionDraft, turnAuthor } from "../session/session-draft.ts";
import { attachedParts } from "./claude-attachments.ts";
import { type ClaudeLine, isHarnessText, isSentByProgram } from "./claude-lines.ts";

/** Line types with nothing for the model. A summary is a title for session lists, often of a different session. */
const NON_PROMPT = new Set([
  ...["summary", "file-history-snapshot", "file-history-delta", "progress", "queue-operation", "last-prompt"],
  ...["ai-title", "custom-title", "agent-name", "mode", "permission-mode", "pr-link", "cost-state", "bridge-session"],
  ...["agent-color", "agent-setting", "tag", "task-summary", "worktree-state", "attribution-snapshot", "relocated"],
  ...["speculation-accept", "atis-latch", "isolation-latch", "fork-context-ref", "marble-origami-snapshot"],
  // Printed beside the messages: progress, and at the end the last answer again.
  ...["result", "stream_event", "rate_limit_event", "tool_progress", "tool_use_summary", "auth_status"],
  ...["prompt_suggestion", "keep_alive", "control_request", "control_response"],
  // What it keeps short in a request is whole in its own line.
  "content-replacement",
]);

/** The data of a compaction before its summary message has an id. */
type Compaction = Omit<ImportedCompaction, "messageId">;

type Pending =
  | { readonly kind: "response"; readonly response: ClaudeResponse }
  | { readonly kind: "message"; readonly message: DraftMessage; readonly compaction?: Compaction };

/**
 * Reads the lines of a session in order. Messages are held back until the end, because a response may continue after
 * results of its first calls: it is added whole, at the position where it began, with its results after it.
 */
export class ClaudeTranscript {
  readonly #draft: SessionDraft;
  readonly #pending: Pending[] = [];
  /** Responses that may continue, by branch and id. */
  readonly #open = new Map<string | undefined, Map<string, ClaudeResponse>>();
  #boundary: ForeignObject | undefined;

  constructor(draft: SessionDraft) {
    this.#draft = draft;
  }

  read(line: ClaudeLine, branch: string | undefined): void {
    const { type } = line;
    if (type === "user" || type === "assistant") this.#readMessage(line, branch);
    else if (type === "system") this.#readSystem(line, branch);
    else if (type === "attachment") this.#readAttachment(line, branch);
    else if (NON_PROMPT.has(type)) this.#draft.skip(type, line.line);
    else this.#draft.skipUnknown(type, line.line);
  }

  finish(): void {
    for (const pending of this.#pending) {
      const messageId = this.#draft.add(pending.kind === "response" ? pending.response.toMessage() : pending.message);
      if (pending.kind === "message" && pending.compaction)
        this.#draft.compactions.push({ messageId, ...pending.compaction });
    }
  }

  #readMessage(line: ClaudeLine, branch: string | undefined): void {
    if (line.message === undefined)
      this.#draft.reportMalformed({ line: line.line }, `the ${line.type} line has no message`);
    else if (isOnlyShown(line)) this.#draft.skip("shown in the transcript only", line.line);
    else if (line.type === "assistant") this.#readAssistant(line, branch);
    else this.#readUser(line, line.message.content, branch);
  }

  #readAssistant(line: ClaudeLine, branch: string | undefined): void {
    const responseId = nonEmptyText(line.message?.id);
    const open = this.#openOn(branch);
    const begun = responseId === undefined ? undefined : open.get(responseId);
    if (begun !== undefined) return begun.take(line, this.#draft);
    const response = new ClaudeResponse(line, branch, this.#draft);
    if (responseId !== undefined) open.set(responseId, response);
    this.#pending.push({ kind: "response", response });
  }

  #readUser(line: ClaudeLine, content: unknown, branch: string | undefined): void {
    const { results, rest, hasText } = anthropicUserTurn(content, this.#draft, { line: line.line });
    const id = line.uuid ?? `claude-${line.line}`;
    const place = { time: line.fields.timestamp, source: { line: line.line }, ...(branch !== undefined && { branch }) };
    for (const [index, result] of results.entries()) {
      this.#push({ id: index === 0 ? id : `${id}.${index}`, role: "tool", parts: [result], ...place });
    }
    if (results.length > 0 && rest.length === 0) return;
    // A user turn completes the responses before it.
    this.#open.delete(branch);
    const isSummary =
      line.fields.isCompactSummary === true || (this.#boundary !== undefined && turnAuthor(rest) === "compaction");
    const origin = isSummary ? "compaction" : originOf(line, rest, results.length > 0 && !hasText);
    const message: DraftMessage = {
      id: results.length === 0 ? id : `${id}.rest`,
      role: "user",
      parts: rest,
      ...(origin && { origin }),
      ...place,
    };
    this.#push(message, isSummary ? this.#takeBoundary() : undefined);
  }

  /** What the user typed while the model worked is an attachment, too; no other line has it. */
  #readAttachment({ line, uuid, fields }: ClaudeLine, branch: string | undefined): void {
    const attachment = objectOf(fields.attachment) ?? {};
    const isQueued = attachment.type === "queued_command";
    const parts = isQueued ? queuedParts(attachment) : attachedParts(attachment);
    const kind = `attachment/${textOf(attachment.type) ?? "other"}`;
    if (parts === undefined) return this.#draft.skipUnknown(kind, line);
    if (parts.length === 0) return this.#draft.skip(kind, line);
    const isTyped = isQueued && !isSentByProgram(attachment) && !isHarness(parts);
    this.#push({
      id: uuid ?? `claude-${line}`,
      role: "user",
      parts,
      ...(!isTyped && { origin: "harness" }),
      time: fields.timestamp,
      source: { line },
      ...(branch !== undefined && { branch }),
    });
  }

  #readSystem(line: ClaudeLine, branch: string | undefined): void {
    const subtype = textOf(line.fields.subtype) ?? "other";
    // What a local command printed is sent to the model, unlike other lines of the system.
    if (subtype === "local_command" && nonEmptyText(line.fields.content) !== undefined)
      return this.#readUser(line, line.fields.content, branch);
    this.#draft.skip(`system/${subtype}`, line.line);
    if (subtype !== "compact_boundary") return;
    this.#boundary = objectOf(line.fields.compactMetadata) ?? {};
    this.#open.clear();
  }

  #push(message: DraftMessage, compaction?: Compaction): void {
    this.#pending.push({ kind: "message", message, ...(compaction && { compaction }) });
  }

  #openOn(branch: string | undefined): Map<string, ClaudeResponse> {
    const open = this.#open.get(branch) ?? new Map<string, ClaudeResponse>();
    this.#open.set(branch, open);
    return open;
  }

  /** The boundary line before a summary gives its trigger and the size before it. Nothing older was sent after it. */
  #takeBoundary(): Compaction {
    const { trigger, preTokens, ...details } = this.#boundary ?? {};
    this.#boundary = undefined;
    return withoutUndefined<Compaction>({
      tokensBefore: countOf(preTokens),
      trigger: textOf(trigger)?.toWellFormed(),
      ...(Object.keys(details).length > 0 && { details: toWellFormedJson(details) as JsonObject }),
    });
  }
}

/** Checks for a line that no model is sent; what a tool does inside it is shown as lines of calls and results. */
const isOnlyShown = ({ type, fields }: ClaudeLine): boolean =>
  fields.isVirtual === true ||
  (type === "user" && fields.isVisibleInTranscriptOnly === true && fields.isCompactSummary !== true);

/** The origin of a user turn that nobody typed. */
function originOf(
  { fields }: ClaudeLine,
  rest: readonly Part[],
  isMediaBesideResults: boolean,
): MessageOrigin | undefined {
  const isOfProgram = fields.isMeta === true || isSentByProgram(fields) || isMediaBesideResults || isHarness(rest);
  return isOfProgram ? "harness" : undefined;
}

/** What waited for its turn: one text or blocks, or the texts of several messages, which one of them stands for. */
function queuedParts({ prompt, batchedRelayPrompts, renderedByBatchHead }: ForeignObject): readonly Part[] | undefined {
  if (renderedByBatchHead === true) return [];
  const parts = (listOf(batchedRelayPrompts) ?? [prompt]).flatMap(blocksOf).map(anthropicPart);
  return parts.length === 0 ? undefined : parts;
}

const isHarness = (parts: readonly Part[]): boolean =>
  parts.length > 0 && parts.every((part) => part.type === "text" && isHarnessText(part.text));

/** The model name that Claude Code gives to messages that it wrote itself. */
const SYNTHETIC_MODEL = "<synthetic>";

/**
 * One response of the API. Claude Code writes a line for each of its content blocks, and results of its first calls may
 * appear between these lines.
 */
class ClaudeResponse {
  readonly #lines: ClaudeLine[];
  readonly #parts: Part[] = [];
  readonly #branch: string | undefined;

  constructor(first: ClaudeLine, branch: string | undefined, draft: SessionDraft) {
    this.#lines = [];
    this.#branch = branch;
    this.take(first, draft);
  }

  take(line: ClaudeLine, draft: SessionDraft): void {
    this.#lines.push(line);
    this.#parts.push(...anthropicAssistantParts(line.message?.content, draft, { line: line.line }));
  }

  toMessage(): DraftMessage {
    const [first] = this.#lines as [ClaudeLine, ...ClaudeLine[]];
    const model = nonEmptyText(first.message?.model);
    const isLocal = model === SYNTHETIC_MODEL || first.fields.isApiErrorMessage === true;
    // Every line repeats the usage of the response; the last one has the highest output count.
    const usage = anthropicUsage(this.#lines.at(-1)?.message?.usage);
    return {
      id: first.uuid ?? `claude-${first.line}`,
      role: "assistant",
      parts: this.#parts,
      ...(this.#branch !== undefined && { branch: this.#branch }),
      ...(isLocal && { origin: "harness" as const }),
      ...(model !== undefined && model !== SYNTHETIC_MODEL && { model }),
      ...(usage && { usage }),
      time: first.fields.timestamp,
      source: { line: first.line },
      ...(this.#lines.length > 1 && { sourceLines: this.#lines.map(({ line }) => line) }),
      notes: this.#notes(first),
    };
  }

  #notes(first: ClaudeLine): JsonObject {
    const stopReasons = this.#lines.map(({ message }) => textOf(message?.stop_reason));
    const uuids = this.#lines.slice(1).flatMap(({ uuid }) => uuid ?? []);
    return withoutUndefined<JsonObject>({
      stopReason: stopReasons.findLast((reason) => reason !== undefined),
      responseId: textOf(first.message?.id),
      requestId: textOf(first.fields.requestId),
      ...(first.fields.isApiErrorMessage === true && { apiError: true }),
      ...(uuids.length > 0 && { uuids }),
    });
  }
}
