import type { CompactionAction, MessageId, PlanId, PlanRecord, Role, ThreadId } from "@threadfold/core";
import type { HostFields } from "./host-fields.ts";
import type { ModelCapabilities } from "./model-capabilities.ts";

/** How a message of the request came about: the plan's action, or the reason rendering added it. */
export type RenderedAction =
  | Exclude<CompactionAction, "drop">
  | "pins"
  | "rehydration"
  | "missing-result"
  | "moved-media"
  | "system-notice"
  | "opening"
  | "continuation";

/** The plan record that a message comes from, as far as an explanation needs it. */
export interface RenderedRecord {
  readonly action: PlanRecord["action"];
  readonly strategy: string;
  readonly reason: string;
  readonly sincePlanVersion: number;
  /** First message of the record's span. */
  readonly spanStart: MessageId;
  /** First and last turn of the record's span. */
  readonly turns: readonly [first: number, last: number];
}

/** Where one message of the neutral request comes from. */
export interface RenderedMessage {
  /** Position in `ChatRequest.messages`. */
  readonly index: number;
  readonly role: Role;
  readonly action: RenderedAction;
  /** Messages of the thread that it represents, in order. */
  readonly sources: readonly MessageId[];
  readonly tokens: number;
  /** Number of parts. Formats lower each part to one block, so this is used to find a block's message. */
  readonly parts: number;
  readonly record?: RenderedRecord;
}

/** Explains a request message by message. */
export interface RenderManifest {
  readonly formatVersion: typeof COMPACTION_RENDER_FORMAT_VERSION;
  /** Id of the provider format that the request was rendered for. */
  readonly format: string;
  /** Name of the model that it was rendered for, if the host gave one. */
  readonly model?: string;
  /** Fields that the host adds to the request itself, if it declared them. */
  readonly host?: HostFields;
  /** What the model binds reasoning to, as far as rendering knew it. */
  readonly reasoningBinding?: ModelCapabilities["reasoning"];
  readonly threadId: ThreadId;
  /** Number of entries that the rendered thread had. */
  readonly threadVersion: number;
  readonly planId: PlanId;
  readonly planVersion: number;
  /** Leading system messages of the thread; their text follows the host's in `ChatRequest.system`. */
  readonly systemSources: readonly MessageId[];
  /** Index of the first message at or after an edit of the log; null when the plan folds nothing. */
  readonly firstEdited: number | null;
  /**
   * Index of the first message that was appended after the plan was made: from there on, the model wrote its messages
   * after exactly this prefix. Null when the plan folds nothing.
   */
  readonly firstUnedited: number | null;
  readonly messages: readonly RenderedMessage[];
  /**
   * For each message, the SHA-256 of the system text, the tools and all messages up to and including it. Equal digests
   * mean equal prefixes. Computed on first access.
   */
  readonly prefixDigests: readonly string[];
}

/**
 * Version of every text that rendering adds (frames, pointers, placeholders, markers) and of where it is placed. Bump
 * it whenever the same thread and plan would produce different bytes, and describe the difference in that change.
 */
export const COMPACTION_RENDER_FORMAT_VERSION = "v1.1";
