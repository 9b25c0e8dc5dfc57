import {
  canonicalJson,
  type JsonObject,
  type MessageId,
  type Part,
  toWellFormedJson,
  type Usage,
} from "@threadfold/core";
import { responseParts } from "../openai-responses/response-parts.ts";
import {
  type CompactionNotes,
  contentKey,
  type ItemPlace,
  type ResponseTranscript,
} from "../openai-responses/response-transcript.ts";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  textOf,
  withoutUndefined,
} from "../reading/foreign-value.ts";
import type { SourceRecord } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { opaquePart } from "../session/shared-readers.ts";

/** One line of a rollout: its type and its payload. */
export interface CodexLine {
  readonly type: string;
  readonly payload: ForeignObject;
  readonly time: unknown;
  readonly line: number;
}

/** Line types with nothing for the model, such as settings. */
const NON_PROMPT = new Set([
  ...["session_meta", "turn_context", "world_state", "inter_agent_communication_metadata", "state"],
]);

/** Item types that never go to the model: snapshots of the working copy for undo. */
const NON_PROMPT_ITEMS = new Set(["ghost_snapshot"]);

/** Reads the lines of a rollout in order. */
export class CodexReader {
  readonly #draft: SessionDraft;
  readonly #transcript: ResponseTranscript;
  /** The newest usage report; the same one may be written again. */
  #reported: string | undefined;
  /** Tokens of the newest reported prompt, which is the size before a compaction that follows. */
  #promptTokens: number | undefined;

  constructor(draft: SessionDraft, transcript: ResponseTranscript) {
    this.#draft = draft;
    this.#transcript = transcript;
  }

  read(codex: CodexLine): void {
    const { type, line, payload } = codex;
    if (type === "response_item") this.#readItem(codex);
    else if (type === "compacted") this.#readCompacted(codex);
    else if (type === "event_msg") this.#readEvent(payload, line);
    else if (type === "inter_agent_communication") this.#readCommunication(codex);
    else if (NON_PROMPT.has(type)) this.#readSetting(codex);
    else this.#draft.skipUnknown(type, line);
  }

  #readItem({ payload, line, time }: CodexLine): void {
    const type = textOf(payload.type);
    if (type !== undefined && NON_PROMPT_ITEMS.has(type)) this.#draft.skip(`response_item/${type}`, line);
    else if (type === undefined && payload.role === undefined)
      this.#draft.reportMalformed({ line }, "its item has no type");
    else this.#transcript.read(payload, { at: { line }, id: `codex-${line}`, time });
  }

  #readCompacted({ payload, line, time }: CodexLine): void {
    readCompaction(payload, { at: { line }, id: `codex-${line}`, time }, this.#transcript, this.#promptTokens);
    this.#promptTokens = undefined;
  }

  #readSetting({ type, payload, line }: CodexLine): void {
    this.#draft.skip(type, line);
    if (type !== "turn_context") return;
    this.#transcript.close();
    this.#transcript.model = nonEmptyText(payload.model) ?? this.#transcript.model;
  }

  /** What one agent wrote to another; only the provider can read it when it is encrypted. */
  #readCommunication({ type, payload, line, time }: CodexLine): void {
    const text = nonEmptyText(payload.content);
    if (text === undefined) return this.#draft.skip(type, line);
    this.#transcript.add("user", [{ type: "text", text }], { at: { line }, id: `codex-${line}`, time }, "harness");
  }

  #readEvent(payload: ForeignObject, line: number): void {
    const type = textOf(payload.type) ?? "other";
    this.#draft.skip(`event_msg/${type}`, line);
    if (type === "thread_rolled_back") this.#transcript.rollBack(countOf(payload.num_turns) ?? 0);
    const info = type === "token_count" ? objectOf(payload.info) : undefined;
    if (info !== undefined) this.#readUsage(info);
  }

  #readUsage(info: ForeignObject): void {
    const report = canonicalJson(toWellFormedJson(info) as JsonObject);
    if (report === this.#reported) return;
    this.#reported = report;
    const usage = codexUsage(objectOf(info.last_token_usage) ?? {});
    if (usage === undefined) return;
    this.#promptTokens = usage.inputTokens;
    this.#transcript.measure(usage);
  }
}

/**
 * Reads a line as `{timestamp, type, payload}`. The earliest rollouts had no such envelope: after a header with the
 * session id, their lines were the items themselves.
 *
 * @returns undefined when the record is not a line of a rollout.
 */
export function codexLine({ value, line }: SourceRecord): CodexLine | undefined {
  const fields = objectOf(value);
  if (fields === undefined) return undefined;
  const time = fields.timestamp ?? fields.created_at;
  const type = textOf(fields.type);
  const payload = objectOf(fields.payload);
  if (payload !== undefined && type !== undefined) return { type, payload, time, line };
  if (textOf(fields.record_type) !== undefined) return { type: "state", payload: fields, time, line };
  if (type === undefined && fields.role === undefined) {
    return textOf(fields.id) === undefined ? undefined : { type: "session_meta", payload: fields, time, line };
  }
  return { type: "response_item", payload: fields, time, line };
}

/**
 * Reads a `compacted` line: Codex replaced its history with `replacement_history` or, in older versions, with a summary
 * and newer user messages. It becomes one message with what is new in it: the summary, and parts of the replacement
 * that do not occur earlier in the log. Messages that the replacement repeats exactly are listed in `details.kept`.
 */
function readCompaction(
  payload: ForeignObject,
  place: ItemPlace,
  transcript: ResponseTranscript,
  tokensBefore: number | undefined,
): void {
  const summary = nonEmptyText(payload.message);
  const replacement = (listOf(payload.replacement_history) ?? []).map(partsOfItem);
  const ids = transcript.idsByContent();
  const kept = new Set<MessageId>();
  const added: Part[] = [];
  for (const parts of replacement) {
    const id = ids.get(contentKey(parts) ?? "");
    if (id !== undefined) kept.add(id);
    else added.push(...parts);
  }
  // The replacement contains the summary as the model reads it, after an introduction.
  const isSaid = added.some((part) => part.type === "text" && summary !== undefined && part.text.includes(summary));
  if (summary !== undefined && !isSaid) added.unshift({ type: "text", text: summary });
  const notes: CompactionNotes = {
    ...(tokensBefore !== undefined && { tokensBefore }),
    ...(payload.replacement_history !== undefined && {
      details: { replacedBy: replacement.length, kept: [...kept] },
    }),
  };
  transcript.addCompaction(added.length > 0 ? added : (replacement.at(-1) ?? []), place, notes);
}

/** The parts of an item that the model sees. An item that only the provider can read is passed on unchanged. */
function partsOfItem(value: unknown): readonly Part[] {
  const item = objectOf(value);
  const isMessage = item !== undefined && (item.type === "message" || item.type === undefined);
  return isMessage ? responseParts(item.content) : [opaquePart("openai", value)];
}

/**
 * Converts usage as Codex writes it: unlike Anthropic's, `input_tokens` includes tokens read from the cache. A report
 * of only zeros is ignored.
 */
function codexUsage(usage: ForeignObject): Usage | undefined {
  const inputTokens = countOf(usage.input_tokens) ?? 0;
  const outputTokens = countOf(usage.output_tokens) ?? 0;
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  return withoutUndefined<Usage>({
    inputTokens,
    outputTokens,
    cacheReadTokens: countOf(usage.cached_input_tokens),
    cacheWriteTokens: countOf(usage.cache_write_input_tokens),
    reasoningTokens: countOf(usage.reasoning_output_tokens),
  } as Usage);
}
