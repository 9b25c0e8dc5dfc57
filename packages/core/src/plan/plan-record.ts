import { z } from "zod";
import { type SpanReference, spanReferenceSchema } from "../groups/span-reference.ts";
import { type JsonObject, jsonObjectSchema, textSchema } from "../json/json-value.ts";
import { type ArtifactId, artifactIdSchema } from "../model/ids.ts";
import { type StructuredSummary, structuredSummarySchema } from "../summary/structured-summary.ts";
import { type ResolvedItem, resolvedItemSchema } from "../summary/summary-change.ts";

/** What rendering does with a message. */
export const compactionActionSchema = z.enum(["include", "clear", "summarize", "externalize", "drop"]);
export type CompactionAction = z.infer<typeof compactionActionSchema>;

/** Where records overlap, the higher action wins (seed 002). */
export const COMPACTION_PRECEDENCE: Readonly<Record<CompactionAction, number>> = Object.freeze({
  drop: 4,
  externalize: 3,
  summarize: 2,
  clear: 1,
  include: 0,
});

/** What every record says beside its action. */
interface RecordBase {
  readonly span: SpanReference;
  /** Name of the strategy that proposed it. */
  readonly strategy: string;
  readonly reason: string;
  /** Version of the plan that first held it. */
  readonly sincePlanVersion: number;
  /** Tokens of the span before folding, as counted when the record was made. */
  readonly originalTokens: number;
}

/**
 * Content that was written to the artifact store (seed 002).
 *
 * - form `body`: the span is one message that stays where it is; its large body gives way to a pointer. A tool result
 *   keeps its call id, so the pair is whole.
 * - form `span`: the span's groups give way to one synthetic message with pointer and summary.
 */
export interface ExternalizationRecord extends RecordBase {
  readonly action: "externalize";
  readonly form: "body" | "span";
  readonly artifactId: ArtifactId;
  readonly summary: StructuredSummary;
  /** When the agent should read it back. */
  readonly rehydrateHint: string;
  /** What of a tool result's body the pointer shows; nothing but key fields when left out. */
  readonly preview?: BodyPreview;
}

/** The beginning and the end of a body that stay, in UTF-16 code units of the body as text. */
export interface KeptEnds {
  readonly headCharacters: number;
  readonly tailCharacters: number;
}

/** The ends of a body that the model has not read yet and that is larger than the room for it. */
export interface BodyPreview extends KeptEnds {
  /** Tokens of what stands between them. */
  readonly leftOutTokens: number;
}

/** A span that one summary stands for (seed 002). */
export interface SummarizationRecord extends RecordBase {
  readonly action: "summarize";
  readonly summary: StructuredSummary;
  readonly summaryTokens: number;
  /** Name and version of what made the summary. */
  readonly summarizer: string;
  /** Items that this fold took out of the summaries it builds on, and why. */
  readonly resolved: readonly ResolvedItem[];
}

/** What a clear empties. */
export const clearTargetSchema = z.enum(["tool-result", "tool-input", "reasoning", "media", "text"]);
export type ClearTarget = z.infer<typeof clearTargetSchema>;

/**
 * Strings of a call's input of at least so many UTF-16 code units give way when it is cleared. Shorter ones are what one
 * wants to know of a call: paths, commands, patterns.
 */
export const LARGE_INPUT_STRING = 200;

/**
 * Messages that stay where they are, with an emptied body (seed 002). Call ids, tool names and outcomes stay. With
 * `keep`, the first and last characters of each body stay around a marker: truncation. A preview as `keep` is of the body
 * of one result that the model has not read yet.
 */
export interface ClearRecord extends RecordBase {
  readonly action: "clear";
  readonly targets: readonly ClearTarget[];
  /** Key fields that the placeholder shows. */
  readonly preservedFields: JsonObject;
  readonly keep?: KeptEnds | BodyPreview;
}

/** Groups that the prompt no longer holds at all (seed 002). */
export interface DropRecord extends RecordBase {
  readonly action: "drop";
  /** What the span was about, for recall (`DroppedSpanIndex`). */
  readonly keywords: readonly string[];
}

/** One decision of a plan. */
export type PlanRecord = ExternalizationRecord | SummarizationRecord | ClearRecord | DropRecord;

const base = {
  span: spanReferenceSchema,
  strategy: textSchema,
  reason: textSchema,
  sincePlanVersion: z.int().nonnegative(),
  originalTokens: z.number().nonnegative(),
};

const keptEnds = { headCharacters: z.int().nonnegative(), tailCharacters: z.int().nonnegative() };

export const externalizationRecordSchema: z.ZodType<ExternalizationRecord> = z.object({
  ...base,
  action: z.literal("externalize"),
  form: z.enum(["body", "span"]),
  artifactId: artifactIdSchema,
  summary: structuredSummarySchema,
  rehydrateHint: textSchema,
  preview: z.object({ ...keptEnds, leftOutTokens: z.int().nonnegative() }).exactOptional(),
});

export const summarizationRecordSchema: z.ZodType<SummarizationRecord> = z.object({
  ...base,
  action: z.literal("summarize"),
  summary: structuredSummarySchema,
  summaryTokens: z.number().nonnegative(),
  summarizer: textSchema,
  resolved: z.array(resolvedItemSchema),
});

export const clearRecordSchema: z.ZodType<ClearRecord> = z.object({
  ...base,
  action: z.literal("clear"),
  targets: z.array(clearTargetSchema).min(1),
  preservedFields: jsonObjectSchema,
  keep: z.object({ ...keptEnds, leftOutTokens: z.int().nonnegative().exactOptional() }).optional(),
});

export const dropRecordSchema: z.ZodType<DropRecord> = z.object({
  ...base,
  action: z.literal("drop"),
  keywords: z.array(textSchema),
});

/** What of an unread body a record shows; undefined when it shows none or was made for a body that had been read. */
export function previewOf(record: PlanRecord): BodyPreview | undefined {
  if (record.action === "externalize") return record.preview;
  if (record.action !== "clear" || record.keep === undefined) return undefined;
  return "leftOutTokens" in record.keep ? record.keep : undefined;
}

/** True when a record takes its messages out of the prompt, so that whole groups must go together. */
export function removesMessages(record: PlanRecord): boolean {
  return (
    record.action === "summarize" ||
    record.action === "drop" ||
    (record.action === "externalize" && record.form === "span")
  );
}
