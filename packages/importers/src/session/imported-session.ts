import type { JsonObject, MessageId, MessageInput, SystemEntry, ThreadId, ToolDefinition } from "@threadfold/core";
import type { MalformedRecord, SourcePointer } from "../reading/source-records.ts";
import { listedNames } from "../reading/source-threads.ts";

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
  | "copilot-cli"
  | "cline"
  | "openhands"
  | "swe-agent"
  | "mini-swe-agent"
  | "tau-bench"
  | "trae"
  | "threadfold"
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

/** A problem that an import worked around. Nothing that a warning mentions was lost: the source text still has it. */
export type ImportWarning =
  /** Records of a type that this importer does not know. They may contain content that a model was sent. */
  | { readonly kind: "unknown-record"; readonly type: string; readonly count: number; readonly firstLine: number }
  /** Arguments of a tool call are not JSON; they were kept as text (`invalidInput`). */
  | { readonly kind: "invalid-arguments"; readonly at: SourcePointer; readonly callId: string }
  /** Lone surrogates, numbers out of range or nesting beyond what core can store were replaced. */
  | { readonly kind: "repaired-value"; readonly at: SourcePointer; readonly messageId: string }
  /** An id was missing, too long or already taken, and was replaced. */
  | { readonly kind: "replaced-id"; readonly at: SourcePointer; readonly id: string }
  /** A record occurs twice in the log, exactly the same; the second was skipped. */
  | { readonly kind: "duplicate-record"; readonly at: SourcePointer; readonly id: string }
  /** A record names a parent that is not in the log; the record before it is used as its parent. */
  | { readonly kind: "missing-parent"; readonly at: SourcePointer; readonly parentId: string }
  /** The log names tools without their input schemas; any object is accepted. */
  | { readonly kind: "tools-without-schema"; readonly tools: readonly string[] }
  /** An entry of the log's tool list cannot be read as a tool. */
  | { readonly kind: "unreadable-tool"; readonly index: number }
  /** The source contains several threads, of which one was imported. */
  | {
      readonly kind: "more-threads";
      readonly thread: number;
      readonly threads: number;
      /** Names of the threads in source order, if it names them; use one to select a thread. */
      readonly names?: readonly string[];
    }
  /** The log names several sessions; the thread has the id of the first. */
  | { readonly kind: "several-session-ids"; readonly ids: readonly string[] }
  /** Some bytes are not UTF-8 and were replaced with U+FFFD. */
  | { readonly kind: "invalid-utf8" };

/** Returns a warning as one sentence. */
export function describeImportWarning(warning: ImportWarning): string {
  switch (warning.kind) {
    case "unknown-record":
      return `${warning.count} records of the unknown type "${warning.type}" were left out, the first on line ${warning.firstLine}.`;
    case "invalid-arguments":
      return `${place(warning.at)}: the arguments of call ${warning.callId} are not JSON and were kept as text.`;
    case "repaired-value":
      return `${place(warning.at)}: values of message ${warning.messageId} that JSON cannot represent were replaced.`;
    case "replaced-id":
      return `${place(warning.at)}: the id is missing, too long or already taken; it became ${warning.id}.`;
    case "duplicate-record":
      return `${place(warning.at)}: record ${warning.id} occurs twice in the log; the second was skipped.`;
    case "missing-parent":
      return `${place(warning.at)}: the parent ${warning.parentId} is not in the log; the previous record was used instead.`;
    case "tools-without-schema":
      return `The log names ${warning.tools.length} tools without their schemas.`;
    case "unreadable-tool":
      return `Entry ${warning.index + 1} of the tool list cannot be read as a tool.`;
    case "more-threads":
      return `The source holds ${warning.threads} threads; thread ${warning.thread} was imported${listedNames(warning.names)}.`;
    case "several-session-ids":
      return `The log names ${warning.ids.length} sessions; the thread got its id from ${warning.ids[0]}.`;
    case "invalid-utf8":
      return "Some bytes are not UTF-8; they were replaced with U+FFFD.";
  }
}

const place = ({ line, path }: SourcePointer): string =>
  path === undefined ? `Line ${line}` : `Line ${line}, ${path}`;
