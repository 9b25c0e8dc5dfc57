import type { LeftOutReason, ReasonedWarningKind, RenderWarning, WarningKind } from "./render-warning.ts";

const SENTENCES: Readonly<Record<WarningKind, string>> = {
  "call-unanswered": "calls without a result were answered with a marker",
  "call-left-out": "calls that nobody ran before another model took over were left out",
  "result-moved": "results were moved to follow their calls",
  "call-moved": "calls that were answered late were moved to their answers",
  "call-id-changed": "messages have different call ids than the log",
  "tool-input-wrapped": "calls whose arguments are not a JSON object were wrapped",
  "outcome-not-expressed": "failed results are sent without being marked as failed",
  "media-moved": "images or documents in failed results were moved after them",
  "blank-text-left-out": "messages had blank text, which was left out",
  "cache-mark-left-out": "messages had more cache marks than a request may have",
  "message-left-out": "messages had nothing left to send",
  "system-as-notice": "system messages in mid-conversation are sent as marked user messages",
  "opening-added": "a marked user message was put first",
  "turn-opened": "a marked user message was put before the assistant's reasoning",
  "continuation-added": "a marked user message was put last",
  "rule-not-pinned": "rules are folded away and not pinned, because detected pins have a cap",
  "body-not-stored": "large messages were not externalized, because the artifact store did not accept them",
  "model-unknown": "the model is not known, and no cap was set for it: set maxInputTokens, or add a row to models",
  "result-left-out": "results were left out",
  "reasoning-left-out": "messages are sent without their reasoning",
  "media-replaced": "messages have images or documents that were replaced by a marker",
  "opaque-left-out": "messages have provider items that were left out",
  "field-left-out": "texts and messages have fields that the format does not support",
  "tools-declared": "tools that the thread uses were declared",
  "tool-renamed": "tools are sent under another name",
  "tool-definition-left-out": "tool definitions with a name that was already taken were left out",
  "tool-reference-left-out": "results refer to tools that the request does not define",
  "tool-schema-beyond-provider": "tool schemas use keywords that the provider ignores",
};

const REASONS: { readonly [Kind in ReasonedWarningKind]: Readonly<Record<LeftOutReason[Kind], string>> } = {
  "result-left-out": {
    "no-call": "no call matches them",
    "answered-already": "their call has already been answered",
    "ambiguous-call": "several open calls have their id",
  },
  "reasoning-left-out": {
    "not-replayed": "the format does not accept it back",
    "not-signed": "no provider signed it",
    "other-provider": "another provider made it",
    "other-model": "another model made it",
    "behind-an-edit": "it is bound to a prefix that was folded",
    "at-the-end": "a message must not end with it",
  },
  "media-replaced": {
    role: "only user messages may hold them",
    "media-type": "the provider does not accept their type",
    source: "the provider cannot read their source",
    empty: "there is nothing in them",
    "too-large": "the provider does not accept images of their size",
    "in-tool-result": "tool results can only be text here",
  },
  "opaque-left-out": {
    "other-provider": "they mean nothing to this provider",
    "other-model": "this model does not accept them",
    malformed: "they are not valid items of this provider",
    "without-partner": "their call or answer is missing",
    "without-reasoning": "the reasoning that they came with is left out",
    repeated: "they are already in the request",
    misplaced: "the messages they replace are sent unchanged",
  },
};

/** Describes a warning in one line for a person: what, why, and how often. */
export function describeWarning(warning: RenderWarning): string {
  const sentence = SENTENCES[warning.kind];
  if ("names" in warning) return `${sentence}: ${warning.names.join(", ")}`;
  const reason = "reason" in warning ? (REASONS[warning.kind] as Record<string, string>)[warning.reason] : undefined;
  const explained = reason === undefined ? sentence : `${sentence}: ${reason}`;
  const { length } = warning.messageIds;
  return length < 2 ? explained : `${explained} (${length} messages)`;
}
