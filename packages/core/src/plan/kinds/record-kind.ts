import { textSchema } from "../../json/json-value.ts";
import * as z from "../../json/schema.ts";
import type { ArtifactId } from "../../model/ids.ts";
import type { Message } from "../../model/message.ts";
import type { SummaryPart } from "../../summary/trim-summary.ts";
import { type SpanReference, spanReferenceSchema } from "../../thread/span-reference.ts";
import type { ThreadShape } from "../thread-shape.ts";

/** The fields that every record has besides its action. */
export interface RecordBase {
  readonly span: SpanReference;
  /** Name of the strategy that proposed it. */
  readonly strategy: string;
  readonly reason: string;
  /** Version of the plan that first had this record; of drops that were joined, of the newest of them. */
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
 * Everything that core must know about one kind of record. Code asks the kind instead of testing a record's action, so
 * adding a kind takes one file here and a row in `RECORD_KINDS`.
 */
export interface RecordKind<Kind extends RecordBase, List extends string, Shown> {
  /** The name of the list of a plan that holds records of this kind. */
  readonly list: List;
  /** When records overlap, the higher precedence wins. */
  readonly precedence: number;
  /**
   * Whether it may cover a provider's opaque item, which is sent byte for byte or not at all. `unless-compaction` leaves
   * out the items of a provider's own compaction: what they represent cannot be read, so nothing else can replace it.
   */
  readonly mayHoldOpaque: "always" | "unless-compaction" | "never";
  /** True when a record removes its messages from the prompt, which must then happen to whole groups. */
  removes(record: Kind): boolean;
  /** Returns the record restricted to a part of its span. */
  restrict(record: Kind, part: SpanPart): Kind;
  /** Returns what a prompt shows instead of one of the record's messages; null for nothing. */
  show(record: Kind, message: Message): Shown | null;
  /** True when the record leaves the text of its messages in the prompt word for word. */
  keepsText(record: Kind): boolean;
  /** The part of an unread body that a record shows; undefined if it shows none or the body had been read already. */
  previewOf(record: Kind): BodyPreview | undefined;
  /** The artifact with the content that the record folded; undefined when there is none. */
  artifactOf(record: Kind): ArtifactId | undefined;
}

/** One of the runs of messages that remain of a record's span. */
export interface SpanPart extends SummaryPart {
  readonly span: SpanReference;
  readonly originalTokens: number;
  /** The ordinals of its messages in a shape of the thread, ascending. */
  readonly ordinals: readonly number[];
  readonly shape: ThreadShape;
}

/** How much of the beginning and end of a body stays, in UTF-16 code units of the body as text. */
export interface KeptEnds {
  readonly headCharacters: number;
  readonly tailCharacters: number;
}

/** The schema of {@link KeptEnds}, field by field. */
export const keptEnds = { headCharacters: z.int().nonnegative(), tailCharacters: z.int().nonnegative() };

/** The ends of a body that the model has not read yet and that does not fit in the room there is for it. */
export interface BodyPreview extends KeptEnds {
  /** Tokens of the text between the two ends. */
  readonly leftOutTokens: number;
}
