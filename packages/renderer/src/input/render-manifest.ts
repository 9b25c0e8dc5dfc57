import type { CompactionAction, MessageId, PlanId, PlanRecord, Role, ThreadId } from "@threadfold/core";
import type { HostFields } from "./host-fields.ts";
import type { ModelCapabilities } from "./model-capabilities.ts";

/** How a message of the request came about: the plan's action, or why rendering made it. */
export type RenderedAction =
  | Exclude<CompactionAction, "drop">
  | "pins"
  | "rehydration"
  | "missing-result"
  | "moved-media"
  | "system-notice"
  | "opening"
  | "continuation";

/** The plan record behind a message, as far as an explanation needs it. */
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
  /** Messages of the thread that it stands for, in order. */
  readonly sources: readonly MessageId[];
  readonly tokens: number;
  /** How many parts it has. Formats lower each part to one block, so this finds a block's message. */
  readonly parts: number;
  readonly record?: RenderedRecord;
}

/** Explains a request message by message. */
export interface RenderManifest {
  readonly formatVersion: typeof COMPACTION_RENDER_FORMAT_VERSION;
  /** Id of the provider format that the request was rendered for. */
  readonly format: string;
  /** Name of the model that it was rendered for, where the host gave one. */
  readonly model?: string;
  /** What the host puts into the request itself, where it told. */
  readonly host?: HostFields;
  /** What the model binds reasoning to, as far as the request was rendered knowing it. */
  readonly reasoningBinding?: ModelCapabilities["reasoning"];
  readonly threadId: ThreadId;
  /** How many entries the rendered thread had. */
  readonly threadVersion: number;
  readonly planId: PlanId;
  readonly planVersion: number;
  /** Leading system messages of the thread; their text is in `ChatRequest.system`, behind the host's. */
  readonly systemSources: readonly MessageId[];
  /** Index of the first message at or behind an edit of the log; null when the plan folds nothing. */
  readonly firstEdited: number | null;
  /**
   * Index of the first message that was appended after the plan was made: what a model wrote from there on it wrote behind
   * this very prefix. Null when the plan folds nothing.
   */
  readonly firstUnedited: number | null;
  readonly messages: readonly RenderedMessage[];
  /**
   * For each message the SHA-256 over system text, tools and all messages up to and including it. Equal digests mean equal
   * prefixes. Computed when they are first asked for.
   */
  readonly prefixDigests: readonly string[];
}

/**
 * Version of every text that rendering adds (frames, pointers, placeholders, markers) and of where it stands. Bump it
 * when the same thread and plan would make other bytes, and say in the change what is different.
 */
export const COMPACTION_RENDER_FORMAT_VERSION = "v1.1";
