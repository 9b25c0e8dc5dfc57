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

/** The kinds of content that clearing can empty. */
export const clearTargetSchema = z.enum(["tool-result", "tool-input", "reasoning", "media", "text"]);
export type ClearTarget = z.infer<typeof clearTargetSchema>;

/**
 * Strings in a call's input of at least this many UTF-16 code units are removed when the input is cleared. Shorter ones
 * are what matters about a call: paths, commands, patterns.
 */
export const LARGE_INPUT_STRING = 200;

/**
 * Messages that stay in place with an emptied body. Call ids, tool names and outcomes stay. With `keep`, the body is
 * truncated: its first and last characters stay, around a marker. If `keep` is a preview, the body is a single tool
 * result that the model has not read yet.
 */
export interface ClearRecord extends RecordBase {
  readonly action: "clear";
  readonly targets: readonly ClearTarget[];
  /** Key fields that the placeholder shows. */
  readonly preservedFields: JsonObject;
  readonly keep?: KeptEnds | BodyPreview;
}

export const clearRecordSchema: z.ZodType<ClearRecord> = z.lazy(() =>
  z.object({
    ...recordBase,
    action: z.literal("clear"),
    targets: z.array(clearTargetSchema).min(1),
    preservedFields: jsonObjectSchema,
    keep: z.object({ ...keptEnds, leftOutTokens: z.int().nonnegative().exactOptional() }).optional(),
  }),
);

/** A message with an emptied body. */
export interface ShownCleared {
  readonly type: "cleared";
  readonly message: Message;
  readonly record: ClearRecord;
}

/** Clearing: the messages stay, and placeholders replace their content. */
export const clear: RecordKind<ClearRecord, "clearings", ShownCleared> = {
  list: "clearings",
  precedence: 1,
  mayHoldOpaque: "never",
  removes: () => false,
  restrict: (record, { span, originalTokens }) => ({ ...record, span, originalTokens }),
  show: (record, message) => ({ type: "cleared", message, record }),
  keepsText: ({ targets }) => !targets.includes("text"),
  previewOf: ({ keep }) => (keep !== undefined && "leftOutTokens" in keep ? keep : undefined),
  artifactOf: () => undefined,
};
