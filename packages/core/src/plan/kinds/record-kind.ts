import { textSchema } from "../../json/json-value.ts";
import * as z from "../../json/schema.ts";
import type { ArtifactId, MessageId } from "../../model/ids.ts";
import type { Message } from "../../model/message.ts";
import { type SpanReference, spanReferenceSchema } from "../../thread/span-reference.ts";

/** What every record says in addition to its action. */
export interface RecordBase {
  readonly span: SpanReference;
  /** Name of the strategy that proposed it. */
  readonly strategy: string;
  readonly reason: string;
  /** Version of the plan that first held it. */
  readonly sincePlanVersion: number;
  /** Tokens of the span before folding, as counted when the record was made. */
  readonly originalTokens: number;
}

/** The schema of {@link RecordBase}, field by field. */
export const recordBase = {
  span: spanReferenceSchema,
  strategy: textSchema,
  reason: textSchema,
  sincePlanVersion: z.int().nonnegative(),
  originalTokens: z.number().nonnegative(),
};

/**
 * All that core has to know of one kind of record. Whatever asks a record what it is asks its kind, so that another kind
 * is a file here and a row of `RECORD_KINDS`.
 */
export interface RecordKind<Kind extends RecordBase, List extends string, Shown> {
  /** The list of a plan that holds such records. */
  readonly list: List;
  /** Where records overlap, the higher one wins. */
  readonly precedence: number;
  /** True when it may hold a provider's opaque item, which travels byte for byte or not at all. */
  readonly mayHoldOpaque: boolean;
  /** True when a record takes its messages out of the prompt, so that whole groups must go together. */
  removes(record: Kind): boolean;
  /** The record for a part of its span. */
  restrict(record: Kind, part: SpanPart): Kind;
  /** What a prompt shows in the place of one of the record's messages; null for nothing. */
  show(record: Kind, message: Message): Shown | null;
  /** True when the record leaves the text of its messages in the prompt word for word. */
  keepsText(record: Kind): boolean;
  /** What of an unread body a record shows; undefined when it shows none or was made for a body that had been read. */
  previewOf(record: Kind): BodyPreview | undefined;
  /** The artifact that holds what the record folded; undefined when none does. */
  artifactOf(record: Kind): ArtifactId | undefined;
}

/** One of the runs that are left of a record's span. */
interface SpanPart {
  readonly span: SpanReference;
  readonly originalTokens: number;
  /** The messages of all the runs, and which of them this one is. */
  readonly runs: readonly (readonly MessageId[])[];
  readonly index: number;
}

/** The beginning and the end of a body that stay, in UTF-16 code units of the body as text. */
export interface KeptEnds {
  readonly headCharacters: number;
  readonly tailCharacters: number;
}

/** The schema of {@link KeptEnds}, field by field. */
export const keptEnds = { headCharacters: z.int().nonnegative(), tailCharacters: z.int().nonnegative() };

/** The ends of a body that the model has not read yet and that is larger than the room for it. */
export interface BodyPreview extends KeptEnds {
  /** Tokens of what stands between them. */
  readonly leftOutTokens: number;
}
