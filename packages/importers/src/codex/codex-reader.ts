import { canonicalJson, type JsonObject, toWellFormedJson } from "@threadfold/core";
import type { SessionDraft } from "../draft/session-draft.ts";
import type { ResponseTranscript } from "../openai-responses/response-transcript.ts";
import { type ForeignObject, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import { readCompaction } from "./codex-compaction.ts";
import type { CodexLine } from "./codex-line.ts";
import { codexUsage } from "./codex-usage.ts";

/** Lines that hold nothing for the model: settings, and events that repeat for the screen what the items say. */
const NON_PROMPT = new Set([
  ...["session_meta", "turn_context", "world_state", "inter_agent_communication_metadata", "state"],
]);

/** Items that never go to the model: snapshots of the working copy for undo. */
const NON_PROMPT_ITEMS = new Set(["ghost_snapshot"]);

/** Reads the lines of a rollout in their order. */
export class CodexReader {
  readonly #draft: SessionDraft;
  readonly #transcript: ResponseTranscript;
  /** The newest report of what was used; the same one may be written again. */
  #reported: string | undefined;
  /** Tokens of the newest reported prompt: what a compaction that follows began with. */
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

  #readEvent(payload: ForeignObject, line: number): void {
    const type = textOf(payload.type) ?? "other";
    this.#draft.skip(`event_msg/${type}`, line);
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
