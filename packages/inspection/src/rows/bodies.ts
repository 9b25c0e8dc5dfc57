/**
 * A message as the log has it, as far as bodies are shown: redacted, and shortened to the beginning and the end of every
 * long text where bodies are short. Absent parts say so by `cut`.
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
      /** JSON, indented by nothing; text that is no JSON where the model wrote none. */
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

/** The text of a block that is no message of the log as it is: the system text, tools, a summary, a pointer, pins. */
export interface BlockText {
  readonly text: string;
  /** Characters that were left out of it; absent for none. */
  readonly cut?: number;
}

/**
 * A request's payload, canonical JSON, as a difference to that of the call before: how much it keeps of its beginning and of
 * its end, in UTF-16 code units, and what stands between. The first of a chunk keeps nothing. Null where the request cannot
 * be rendered; the next one keeps nothing then. Where secrets are taken out, its digest is that of the text with them.
 */
export type PayloadDifference = {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
} | null;

/** Kinds of bodies. Each is a list that is cut into chunks, of which one is read when something in it is shown. */
export interface BodyLists {
  readonly messages: MessageBody;
  readonly texts: BlockText;
  readonly payloads: PayloadDifference;
}

/** Where the chunks of each list begin: the index of the first item of each, ascending. Empty where bodies are left out. */
export type BodyChunks = { readonly [List in keyof BodyLists]: readonly number[] };
