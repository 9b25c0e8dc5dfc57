import type { CacheBill } from "@threadfold/core";
import type { BodyChunks } from "./bodies.ts";
import type { BlockRow, BreakRow, CallRow, FrameRow } from "./call-row.ts";
import type { Integrity } from "./integrity.ts";
import type { MessageRow } from "./message-row.ts";
import type { AttemptRow, PinRow, PlanRow, RecordRow } from "./plan-row.ts";
import type { PresetComparison } from "./preset-comparison.ts";
import type { Columns } from "./table.ts";

/** Version of the shape of {@link InspectionIndex}. A page refuses another one. */
export const INSPECTION_VERSION = 2;

/** How much of what was said is shown: nothing, the beginning and the end of long texts, or all. */
export type BodyChoice = "none" | "short" | "all";

/**
 * Everything that is shown of a thread but the bodies, which are read in chunks when they are seen, and what is gone, which is
 * looked for when it is. Plain JSON. Tables
 * name one another by place: a call its blocks, a block its messages and its record. Lists that may be long are columns.
 */
export interface InspectionIndex {
  readonly inspectionVersion: typeof INSPECTION_VERSION;
  /** Version of Threadfold that made it. */
  readonly threadfoldVersion: string;
  /** When it was made, in milliseconds since the epoch. */
  readonly madeAt: number;
  /** How often the record grew since the command was started; see {@link IndexGrowth}. */
  readonly revision: number;
  readonly source: InspectionSource;
  readonly bodies: BodyChoice;
  /** True when secrets were taken out of all text. */
  readonly redacted: boolean;
  readonly thread: ThreadRow;
  /** Set for a thread that was erased: then every table but the journal's figures is empty. */
  readonly erased: ErasedRow | null;
  /** Names of tools, for `MessageRow.tools`. */
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
  /** What presets make of the same log; null where nobody asked. */
  readonly comparison: PresetComparison | null;
  readonly chunks: BodyChunks;
}

/** Where the thread was read from, and what a reader can do with it there. */
export interface InspectionSource {
  readonly kind: "store" | "file" | "audit";
  /** The store's address or the file's name, without passwords and folders. */
  readonly name: string;
  /** The tool that a recorded file is of; null for everything else. */
  readonly tool: string | null;
  /** True when the calls are not recorded ones but those that folding the log would make. */
  readonly simulated: boolean;
  /** Name under which the raw log is downloaded; null where it is not at hand. */
  readonly rawLog: string | null;
  /** What a reader can do, as commands to copy; null where there is no store to work on. */
  readonly commands: Commands | null;
}

/**
 * Commands of a shell, each with a name in braces in the place of one word, which whoever fills it in has to quote as the
 * shell does: `'` before and behind it, and `'\''` for every `'` within.
 */
export interface Commands {
  /** `{message}` is a message's id. */
  readonly explain: string;
  /** `{text}` is what has to stay. */
  readonly pin: string;
  /** `{plan}` is a plan's version. */
  readonly revert: string;
  /** `{query}` is what is looked for. */
  readonly search: string;
  readonly replay: string;
  readonly verify: string;
}

/** The thread as a whole. */
export interface ThreadRow {
  readonly id: string;
  /** The title that it was given; null for none, and where no bodies are shown. */
  readonly title: string | null;
  readonly version: number;
  readonly digest: string;
  readonly messages: number;
  readonly turns: number;
  readonly steps: number;
  /** Tokens of the whole log. */
  readonly tokens: number;
  readonly planVersion: number;
  /** When its first and its newest message were written, in milliseconds since the epoch; null where nothing says. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

/** That a thread was erased. */
export interface ErasedRow {
  readonly at: number;
  readonly actor: string;
  readonly reason: string;
  readonly entries: number;
  readonly plans: number;
  readonly artifacts: number;
  readonly keyShredded: boolean;
}

/** What the calls of a thread cost and for what, as `threadfold bill` says it. Its calls are `InspectionIndex.calls`. */
export interface Bill extends Omit<CacheBill, "calls"> {
  /** The revision that it is of: calls that came later are not in it. */
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
