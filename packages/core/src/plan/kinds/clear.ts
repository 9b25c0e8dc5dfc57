import { type JsonObject, jsonObjectSchema } from "../../json/json-value.ts";
import * as z from "../../json/schema.ts";
import type { Message } from "../../model/message.ts";
import {
  type BodyPreview,
  type KeptEnds,
  keptEnds,
  type RecordBase,
  type RecordKind,
  recordBase,
} from "./record-kind.ts";

/** The kinds of content that a clear empties. */
export const clearTargetSchema = z.enum(["tool-result", "tool-input", "reasoning", "media", "text"]);
export type ClearTarget = z.infer<typeof clearTargetSchema>;

/**
 * Strings of a call's input of at least this many UTF-16 code units give way when it is cleared. Shorter ones are what
 * matters about a call: paths, commands, patterns.
 */
export const LARGE_INPUT_STRING = 200;

/**
 * Messages that stay where they are, with an emptied body. Call ids, tool names and outcomes stay. With
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

export const clearRecordSchema: z.ZodType<ClearRecord> = z.object({
  ...recordBase,
  action: z.literal("clear"),
  targets: z.array(clearTargetSchema).min(1),
  preservedFields: jsonObjectSchema,
  keep: z.object({ ...keptEnds, leftOutTokens: z.int().nonnegative().exactOptional() }).optional(),
});

/** A message with an emptied body. */
export interface ShownCleared {
  readonly type: "cleared";
  readonly message: Message;
  readonly record: ClearRecord;
}

/** Clearing: the messages stay, and what they hold gives way to placeholders. */
export const clear: RecordKind<ClearRecord, "clearings", ShownCleared> = {
  list: "clearings",
  precedence: 1,
  mayHoldOpaque: false,
  removes: () => false,
  restrict: (record, { span, originalTokens }) => ({ ...record, span, originalTokens }),
  show: (record, message) => ({ type: "cleared", message, record }),
  keepsText: ({ targets }) => !targets.includes("text"),
  previewOf: ({ keep }) => (keep !== undefined && "leftOutTokens" in keep ? keep : undefined),
  artifactOf: () => undefined,
};
