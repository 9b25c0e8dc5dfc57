import type { JsonObject, MessageId, MessageInput, SystemEntry, ThreadId, ToolDefinition } from "@threadfold/core";
import type { MalformedRecord } from "../reading/source-records.ts";
import type { ImportWarning } from "./import-warning.ts";

/** The formats that can be imported: those of this package, and any that a custom importer defines. */
export type ImportFormat = KnownFormat | (string & {});

/** The formats that this package supports. */
export type KnownFormat =
  | "pi"
  | "claude-code"
  | "codex"
  | "opencode"
  | "gemini-cli"
  | "aider"
  | "goose"
  | "crush"
  | "vscode-chat"
  | "cline"
  | "openhands"
  | "swe-agent"
  | "mini-swe-agent"
  | "tau-bench"
  | "trae"
  | "ai-sdk"
  | "openai-chat"
  | "openai-responses"
  | "anthropic-messages";

/** Records with nothing that a model was sent: settings, progress, snapshots. Grouped by kind. */
export interface NonPromptRecords {
  readonly kind: string;
  readonly lines: readonly number[];
  /** JSON Pointers into those lines, in the same order, when a line contains many records. */
  readonly paths?: readonly string[];
}

/** A compaction that the other tool made itself, kept as such. */
export interface ImportedCompaction {
  /** The message with the summary; its origin is `compaction`. */
  readonly messageId: MessageId;
  /** First of the earlier messages that were still sent after the summary; absent when none was. */
  readonly firstKeptMessageId?: MessageId;
  /** Size of the prompt before the compaction, in tokens, as the tool reported it. */
  readonly tokensBefore?: number;
  /** What triggered it, in the tool's own term: `auto`, `manual`, `server`. */
  readonly trigger?: string;
  /** Further data that the tool recorded about it. */
  readonly details?: JsonObject;
}

/** The source that a session came from. */
export interface ImportedSource {
  /** Bytes after decompression. */
  readonly bytes: number;
  /** SHA-256 of those bytes, in hexadecimal. Computed when first read. */
  readonly sha256: string;
  /** The whole source as text: `metadata.source` of every message points into it, so that nothing is lost. */
  readonly text: string;
  /** Number of records in the source: lines that are not blank, or messages of a JSON document. */
  readonly records: number;
}

/** Another tool's session log in Threadfold's model. Equal bytes give an equal session. */
export interface ImportedSession {
  readonly format: ImportFormat;
  /**
   * The log's own session id or, failing that, one derived from how the session begins, so that a log that has grown is
   * still the same thread; see `openingOf`.
   */
  readonly threadId: ThreadId;
  /** Every message in log order, including those of side branches (which have `branch` set). */
  readonly messages: readonly MessageInput[];
  /** System text that is not among the messages. Messages with the role system stay among the messages. */
  readonly system: readonly SystemEntry[];
  readonly tools: readonly ToolDefinition[];
  readonly compactions: readonly ImportedCompaction[];
  readonly malformed: readonly MalformedRecord[];
  readonly nonPrompt: readonly NonPromptRecords[];
  readonly warnings: readonly ImportWarning[];
  /** Name of the model that wrote the newest assistant message of the main branch, or the model that the log names. */
  readonly model?: string;
  readonly source: ImportedSource;
}
