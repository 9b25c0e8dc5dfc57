import type { MessageId } from "@threadfold/core";

/** Warnings that carry nothing but the messages they are about. */
export type PlainWarningKind =
  /** A call has no result in the log; a marked placeholder result was added. */
  | "call-unanswered"
  /** A call has no result because another model took over before it was run; it was left out. */
  | "call-left-out"
  /** A result did not directly follow its call or was out of order; it was moved. */
  | "result-moved"
  /** A call was answered only after other messages; it was moved to its answer. */
  | "call-moved"
  /** A call id is not accepted by the provider or is used twice; call and result carry a different one. */
  | "call-id-changed"
  /** The arguments of a call are not a JSON object; they were wrapped in one under `_raw`. */
  | "tool-input-wrapped"
  /** A result failed, and the format has no field to say so. */
  | "outcome-not-expressed"
  /** A failed result contained images or documents; they were moved to a user message after the results. */
  | "media-moved"
  /** A text that is empty or only whitespace was left out. */
  | "blank-text-left-out"
  /** A message carried more cache marks than a request may have; the excess mark was left out. */
  | "cache-mark-left-out"
  /** A message had nothing left to send; it was left out. */
  | "message-left-out"
  /** A mid-conversation system message was sent as a marked user message. */
  | "system-as-notice"
  /** A marked user message was put first, because the format must begin with one. */
  | "opening-added"
  /** A marked user message was put before reasoning that must be the first thing in its turn. */
  | "turn-opened"
  /** A marked user message was put last, because the log ends with an assistant turn. */
  | "continuation-added"
  /**
   * Rules of a user are not pinned because of the cap on detected pins, and the messages that contain them are folded.
   */
  | "rule-not-pinned"
  /** The artifact store did not accept the bodies of messages, so these were not externalized. */
  | "body-not-stored"
  /** The model is unknown and the host set no cap: the default cap may be too large for it. */
  | "model-unknown";

/** Why a part of a message was left out. */
export type LeftOutReason = {
  readonly "result-left-out": "no-call" | "answered-already" | "ambiguous-call";
  readonly "reasoning-left-out":
    | "not-replayed"
    | "not-signed"
    | "other-provider"
    | "other-model"
    | "behind-an-edit"
    | "at-the-end";
  readonly "media-replaced": "role" | "media-type" | "source" | "empty" | "too-large" | "in-tool-result";
  readonly "opaque-left-out":
    | "other-provider"
    | "other-model"
    | "malformed"
    | "without-partner"
    | "without-reasoning"
    | "repeated"
    | "misplaced";
};

/** Warnings that have more than one reason. */
export type ReasonedWarningKind = keyof LeftOutReason;

/** Warnings that name what they are about. */
export type NamedWarningKind =
  /** Provider metadata of a text or message has no place in the format: a name, a role, a cache mark, citations. */
  | "field-left-out"
  /** The host gave no tools but the thread has calls; minimal definitions were added. */
  | "tools-declared"
  /** A tool's name is not accepted by the provider; it was changed in calls and definitions. */
  | "tool-renamed"
  /** A second definition of the same name was left out. */
  | "tool-definition-left-out"
  /** A result refers to a tool that the request does not define; a line of text says so instead. */
  | "tool-reference-left-out"
  /** A tool's input schema uses keywords that the provider ignores; it is sent in full. */
  | "tool-schema-beyond-provider";

/**
 * What rendering lost or repaired. Data, so that a host can decide; {@link describeWarning} turns it into a sentence.
 */
export type RenderWarning =
  | { readonly kind: PlainWarningKind; readonly messageIds: readonly MessageId[] }
  | {
      [Kind in ReasonedWarningKind]: {
        readonly kind: Kind;
        readonly reason: LeftOutReason[Kind];
        readonly messageIds: readonly MessageId[];
      };
    }[ReasonedWarningKind]
  | {
      readonly kind: NamedWarningKind;
      /** Names of the tools, with renamed ones as `before → after`; fields as `provider.field`. */
      readonly names: readonly string[];
      readonly messageIds: readonly MessageId[];
    };

export type WarningKind = PlainWarningKind | ReasonedWarningKind | NamedWarningKind;

/** True if the model does not see the content; false if it is only in another place or form. */
const LOSES: Readonly<Record<WarningKind, boolean>> = {
  "call-unanswered": false,
  "call-left-out": true,
  "result-moved": false,
  "call-moved": false,
  "call-id-changed": false,
  "tool-input-wrapped": false,
  "outcome-not-expressed": true,
  "media-moved": false,
  "blank-text-left-out": false,
  "cache-mark-left-out": false,
  "message-left-out": true,
  "rule-not-pinned": true,
  "body-not-stored": false,
  "model-unknown": false,
  "system-as-notice": false,
  "opening-added": false,
  "turn-opened": false,
  "continuation-added": false,
  "result-left-out": true,
  "reasoning-left-out": true,
  "media-replaced": true,
  "opaque-left-out": true,
  "field-left-out": false,
  "tools-declared": false,
  "tool-renamed": false,
  "tool-definition-left-out": true,
  "tool-reference-left-out": true,
  "tool-schema-beyond-provider": false,
};

/** Checks whether a warning is about something that the model does not see. */
export const isLossy = (warning: RenderWarning): boolean => LOSES[warning.kind];
