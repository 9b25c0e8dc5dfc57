import { textSchema } from "../../json/json-value.ts";
import * as z from "../../json/schema.ts";
import { type ArtifactId, artifactIdSchema } from "../../model/ids.ts";
import type { Message } from "../../model/message.ts";
import { type StructuredSummary, structuredSummarySchema } from "../../summary/structured-summary.ts";
import { restrictSummary } from "../../summary/trim-summary.ts";
import { spanStart } from "../../thread/span-reference.ts";
import { type BodyPreview, keptEnds, type RecordBase, type RecordKind, recordBase } from "./record-kind.ts";

/**
 * Content that was written to the artifact store.
 *
 * - form `body`: the span is one message that stays in place; a pointer replaces its large body. A tool result keeps
 *   its call id, so it stays paired with its call.
 * - form `span`: one synthetic message with a pointer and a summary replaces the groups of the span.
 */
export interface ExternalizationRecord extends RecordBase {
  readonly action: "externalize";
  readonly form: "body" | "span";
  readonly artifactId: ArtifactId;
  readonly summary: StructuredSummary;
  /** When the agent should read it back. */
  readonly rehydrateHint: string;
  /** The part of a tool result's body that the pointer shows; if absent, it shows only key fields. */
  readonly preview?: BodyPreview;
}

export const externalizationRecordSchema: z.ZodType<ExternalizationRecord> = z.lazy(() =>
  z.object({
    ...recordBase,
    action: z.literal("externalize"),
    form: z.enum(["body", "span"]),
    artifactId: artifactIdSchema,
    summary: structuredSummarySchema,
    rehydrateHint: textSchema,
    preview: z.object({ ...keptEnds, leftOutTokens: z.int().nonnegative() }).exactOptional(),
  }),
);

/** A message whose body is replaced by a pointer, or the one pointer that replaces a span. */
export type ShownExternalized =
  | { readonly type: "externalized-body"; readonly message: Message; readonly record: ExternalizationRecord }
  | { readonly type: "pointer"; readonly record: ExternalizationRecord };

/** Externalizing: a pointer replaces a body or a span. */
export const externalize: RecordKind<ExternalizationRecord, "externalizations", ShownExternalized> = {
  list: "externalizations",
  precedence: 3,
  mayHoldOpaque: "never",
  removes: ({ form }) => form === "span",
  restrict: (record, part) => ({
    ...record,
    span: part.span,
    originalTokens: part.originalTokens,
    summary: restrictSummary(record.summary, part.span, part),
  }),
  show(record, message) {
    if (record.form === "body") return { type: "externalized-body", message, record };
    return spanStart(record.span) === message.id ? { type: "pointer", record } : null;
  },
  keepsText: () => false,
  previewOf: ({ preview }) => preview,
  artifactOf: ({ artifactId }) => artifactId,
};
