import type { CacheBill } from "@threadfold/core";
import type { BodyChunks } from "./bodies.ts";
import type { BlockRow, BreakRow, CallRow, FrameRow } from "./call-row.ts";
import type { Integrity } from "./integrity.ts";
import type { MessageRow } from "./message-row.ts";
import type { AttemptRow, PinRow, PlanRow, RecordRow } from "./plan-row.ts";
import type { PresetComparison } from "./preset-comparison.ts";
import type { Columns } from "./table.ts";

/** Version of the shape of {@link InspectionIndex}. A page rejects any other version. */
export const INSPECTION_VERSION = 2;

/** How much of the messages' content is shown: nothing, the beginning and end of long texts, or everything. */
export type BodyChoice = "none" | "short" | "all";

/**
 * Everything that is shown of a thread, except the bodies, which are read in chunks when they become visible, and the
 * folded messages, which are looked up on demand. Plain JSON. Tables refer to one another by index: a call to its
 * blocks, a block to its messages and its record. Lists that may be long are stored as columns.
 */
export interface InspectionIndex {
  readonly inspectionVersion: typeof INSPECTION_VERSION;
  /** Version of Threadfold that made it. */
  readonly threadfoldVersion: string;
  /** When it was made, in milliseconds since the epoch. */
  readonly madeAt: number;
  /** Counts how often the record has grown since the command was started; see {@link IndexGrowth}. */
  readonly revision: number;
  readonly source: InspectionSource;
  readonly bodies: BodyChoice;
  /** True when secrets were removed from all text. */
  readonly redacted: boolean;
  readonly thread: ThreadRow;
  /** Set for a thread that was erased: then every table but the journal's figures is empty. */
  readonly erased: ErasedRow | null;
  /** Names of tools, which `MessageRow.tools` refers to. */
  readonly tools: readonly string[];
  readonly messages: Columns<MessageRow>;
  readonly calls: Columns<CallRow>;
  readonly blocks: Columns<BlockRow>;
  readonly breaks: readonly BreakRow[];
  readonly frames: readonly FrameRow[];
  /** Oldest first: the plan of version n at n - 1. */
  readonly plans: readonly PlanRow[];
  readonly records: readonly RecordRow[];
  readonly attempts: readonly AttemptRow[];
  readonly pins: readonly PinRow[];
  readonly bill: Bill;
  readonly integrity: Integrity;
  /** What presets make of the same log; null if no comparison was requested. */
  readonly comparison: PresetComparison | null;
  readonly chunks: BodyChunks;
}

/** Where the thread was read from, and what a reader can do with it there. */
export interface InspectionSource {
  readonly kind: "store" | "file" | "audit";
  /** The store's address or the file's name, without passwords and folders. */
  readonly name: string;
  /** The tool that wrote a recorded file; null for everything else. */
  readonly tool: string | null;
  /** True when the calls were not recorded but are those that folding the log would make. */
  readonly simulated: boolean;
  /** Name under which the raw log is downloaded; null if it is not available. */
  readonly rawLog: string | null;
  /** What a reader can do, as commands to copy; null if there is no store to work on. */
  readonly commands: Commands | null;
}

/**
 * Shell commands, some with a placeholder in braces for one word. Whoever fills it in must quote the word as the shell
 * does: `'` before and after it, and `'\''` for every `'` within.
 */
export interface Commands {
  /** `{message}` is a message's id. */
  readonly explain: string;
  /** `{text}` is the instruction to keep. */
  readonly pin: string;
  /** `{plan}` is a plan's version. */
  readonly revert: string;
  /** `{query}` is the search query. */
  readonly search: string;
  readonly replay: string;
  readonly verify: string;
}

/** The thread as a whole. */
export interface ThreadRow {
  readonly id: string;
  /** The title that it was given; null for none, and if no bodies are shown. */
  readonly title: string | null;
  readonly version: number;
  readonly digest: string;
  readonly messages: number;
  readonly turns: number;
  readonly steps: number;
  /** Tokens of the whole log. */
  readonly tokens: number;
  readonly planVersion: number;
  /** When its first and its newest message were written, in milliseconds since the epoch; null if unknown. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

/** The record of a thread's erasure. */
export interface ErasedRow {
  readonly at: number;
  readonly actor: string;
  readonly reason: string;
  readonly entries: number;
  readonly plans: number;
  readonly artifacts: number;
  readonly keyShredded: boolean;
}

/** What the calls of a thread cost and why, as in `threadfold bill`. Its calls are `InspectionIndex.calls`. */
export interface Bill extends Omit<CacheBill, "calls"> {
  /** The revision that it belongs to: later calls are not included. */
  readonly revision: number;
  /** The price row of the newest call; null when no provider's prices are known. */
  readonly price: {
    readonly id: string;
    readonly read: number;
    readonly write: number;
    readonly ttlSeconds: number;
    readonly minimumPrefixTokens: number;
  } | null;
}
