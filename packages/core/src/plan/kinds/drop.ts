import { textSchema } from "../../json/json-value.ts";
import * as z from "../../json/schema.ts";
import { type RecordBase, type RecordKind, recordBase } from "./record-kind.ts";

/** Groups that the prompt no longer shows at all. */
export interface DropRecord extends RecordBase {
  readonly action: "drop";
  /** What the span was about, for recall (`DroppedSpanIndex`). */
  readonly keywords: readonly string[];
}

export const dropRecordSchema: z.ZodType<DropRecord> = z.lazy(() =>
  z.object({
    ...recordBase,
    action: z.literal("drop"),
    keywords: z.array(textSchema),
  }),
);

/** Dropping: the messages leave the prompt, and nothing replaces them. */
export const drop: RecordKind<DropRecord, "drops", never> = {
  list: "drops",
  precedence: 4,
  mayHoldOpaque: "always",
  removes: () => true,
  restrict: (record, { span, originalTokens }) => ({ ...record, span, originalTokens }),
  show: () => null,
  keepsText: () => false,
  previewOf: () => undefined,
  artifactOf: () => undefined,
};
