import type { MessageId } from "@threadfold/core";

/** Warnings that need no more than the messages they are about. */
export type PlainWarningKind =
  /** A call has no result in the log; a marked one was put there. */
  | "call-unanswered"
  /** A result did not follow its call directly, or not in the order of the calls; it was moved. */
  | "result-moved"
  /** A call was answered behind other messages; it is shown with its answer. */
  | "call-moved"
  /** A call id is not one the provider accepts, or it is used twice; call and result carry another one. */
  | "call-id-changed"
  /** The arguments of a call are not a JSON object; they stand in one under `_raw`. */
  | "tool-input-wrapped"
  /** A result failed, and the format has no field that says so. */
  | "outcome-not-expressed"
  /** A failed result held pictures or documents; they stand in a user message behind the results. */
  | "media-moved"
  /** A text that is empty or only white space was left out. */
  | "blank-text-left-out"
  /** A message had a mark of a cached prefix beyond those that a request may have; the mark was left out. */
  | "cache-mark-left-out"
  /** Nothing of a message was left; it was left out. */
  | "message-left-out"
  /** A system message in mid-conversation goes out as a marked user message. */
  | "system-as-notice"
  /** A marked user message was put first, because the format begins with one. */
  | "opening-added"
  /** A marked user message was put before reasoning, which has to be the first of its turn. */
  | "turn-opened"
  /** A marked user message was put last, because the log ends on an assistant turn. */
  | "continuation-added"
  /** Rules of a user are not pinned for the cap on detected pins, and the messages that they stand in are folded. */
  | "rule-not-pinned"
  /** The artifact store did not take the bodies of messages, which were therefore not externalized. */
  | "body-not-stored"
  /** Nothing is known of the model, and the host set no cap: the default one may be too large for it. */
  | "model-unknown";

/** Why a part of a message does not go out. */
export type LeftOutReason = {
  readonly "result-left-out": "no-call" | "answered-already" | "ambiguous-call";
  readonly "reasoning-left-out":
    | "not-replayed"
    | "not-signed"
    | "other-provider"
    | "other-model"
    | "behind-an-edit"
    | "at-the-end";
  readonly "media-replaced": "role" | "media-type" | "source" | "in-tool-result";
  readonly "opaque-left-out":
    | "other-provider"
    | "other-model"
    | "malformed"
    | "without-partner"
    | "repeated"
    | "misplaced";
};

/** Warnings that have more than one reason. */
export type ReasonedWarningKind = keyof LeftOutReason;

/** Warnings that name what they are about. */
export type NamedWarningKind =
  /**
   * What a provider said about a text or message has no place in the format: a name, a role, a cache mark, citations.
   */
  | "field-left-out"
  /** The host gave no tools and the thread has calls; minimal definitions were added. */
  | "tools-declared"
  /** A tool's name is not one the provider accepts; it was changed in calls and definitions. */
  | "tool-renamed"
  /** A second definition of the same name was left out. */
  | "tool-definition-left-out"
  /** A result refers to a tool that the request does not define; a line says so instead. */
  | "tool-reference-left-out"
  /** The schema of a tool's input says more than the provider heeds; it goes out whole. */
  | "tool-schema-beyond-provider";

/** What rendering lost or repaired. Data, so that a host can decide; {@link describeWarning} makes the sentence. */
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
      /** Names of the tools, of renamed ones as `before → after`; of fields as `provider.field`. */
      readonly names: readonly string[];
      readonly messageIds: readonly MessageId[];
    };

export type WarningKind = PlainWarningKind | ReasonedWarningKind | NamedWarningKind;

/** True for what the model does not see; false for what only stands in another place or form. */
const LOSES: Readonly<Record<WarningKind, boolean>> = {
  "call-unanswered": false,
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

/** True when a warning is about something that the model does not see. */
export const isLossy = (warning: RenderWarning): boolean => LOSES[warning.kind];
