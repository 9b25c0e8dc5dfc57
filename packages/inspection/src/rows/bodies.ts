/**
 * A logged message as its body is shown: redacted if requested, and with short bodies every long text is reduced to its
 * beginning and end. `cut` says how much is missing.
 */
export interface MessageBody {
  readonly parts: readonly BodyPart[];
}

/** A part of a message. */
export type BodyPart =
  | { readonly type: "text" | "reasoning"; readonly text: string; readonly cut?: number }
  | {
      readonly type: "tool-call";
      readonly tool: string;
      readonly callId: string;
      /** JSON without indentation; plain text if the model did not write JSON. */
      readonly text: string;
      readonly cut?: number;
    }
  | {
      readonly type: "tool-result";
      readonly tool: string;
      readonly callId: string;
      readonly outcome: string;
      readonly text: string;
      readonly cut?: number;
    }
  | { readonly type: "image" | "file" | "opaque"; readonly text: string };

/** The text of a block that is not a message exactly as logged: the system text, tools, a summary, a pointer, pins. */
export interface BlockText {
  readonly text: string;
  /** Number of characters that were left out of it; absent for none. */
  readonly cut?: number;
}

/**
 * A request's payload in canonical JSON, as a difference from the previous call's payload: how much of its beginning
 * and its end are unchanged, in UTF-16 code units, and the text in between. The first of a chunk keeps nothing. Null if
 * the request cannot be rendered; the next one then keeps nothing. If secrets are removed, the recorded digest is still
 * that of the text with them.
 */
export type PayloadDifference = {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
} | null;

/** The kinds of bodies. Each is a list that is split into chunks; a chunk is read when something in it is shown. */
export interface BodyLists {
  readonly messages: MessageBody;
  readonly texts: BlockText;
  readonly payloads: PayloadDifference;
}

/**
 * Where the chunks of each list begin: the index of each chunk's first item, ascending. Empty if bodies are left out.
 */
export type BodyChunks = { readonly [List in keyof BodyLists]: readonly number[] };
