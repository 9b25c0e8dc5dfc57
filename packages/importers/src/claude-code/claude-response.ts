import type { JsonObject, Part } from "@threadfold/core";
import { anthropicAssistantParts } from "../anthropic-messages/anthropic-parts.ts";
import { anthropicUsage } from "../anthropic-messages/anthropic-usage.ts";
import type { DraftMessage, SessionDraft } from "../draft/session-draft.ts";
import { nonEmptyText, textOf, withoutUndefined } from "../reading/foreign-value.ts";
import type { ClaudeLine } from "./claude-line.ts";

/** What Claude Code calls the model of messages that it wrote itself. */
const SYNTHETIC_MODEL = "<synthetic>";

/**
 * One response of the API. Claude Code writes a line for each of its content blocks, and the lines may have results of
 * its first calls between them.
 */
export class ClaudeResponse {
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
    // Every line repeats the usage of the response; the last one has the most of the output.
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
