import type { LeftOutReason, ReasonedWarningKind, RenderWarning, WarningKind } from "./render-warning.ts";

const SENTENCES: Readonly<Record<WarningKind, string>> = {
  "call-unanswered": "calls without a result were answered with a marker",
  "result-moved": "results were moved to follow their calls",
  "call-moved": "calls that were answered late were moved to their answers",
  "call-id-changed": "messages carry other call ids than the log",
  "tool-input-wrapped": "calls with arguments that are no JSON object were wrapped",
  "outcome-not-expressed": "failed results go out without a mark of failure",
  "media-moved": "failed results had pictures or documents, which stand behind them",
  "blank-text-left-out": "messages had blank text, which was left out",
  "cache-mark-left-out": "messages had more cache marks than a request may have",
  "message-left-out": "messages had nothing left to send",
  "system-as-notice": "system messages in mid-conversation go out as marked user messages",
  "opening-added": "a marked user message was put first",
  "turn-opened": "a marked user message was put before the assistant's reasoning",
  "continuation-added": "a marked user message was put last",
  "rule-not-pinned": "rules are folded away and not pinned, because detected pins have a cap",
  "body-not-stored": "large messages were not externalized, because the artifact store did not take them",
  "model-unknown": "the model is not known, and no cap was set for it: set maxInputTokens, or add a row to models",
  "result-left-out": "results were left out",
  "reasoning-left-out": "messages go out without their reasoning",
  "media-replaced": "messages have pictures or documents that were replaced by a marker",
  "opaque-left-out": "messages have provider items that were left out",
  "field-left-out": "texts and messages have fields that the format has no place for",
  "tools-declared": "tools that the thread uses were declared",
  "tool-renamed": "tools go out under another name",
  "tool-definition-left-out": "tool definitions with a name that was already taken were left out",
  "tool-reference-left-out": "results refer to tools that the request does not define",
  "tool-schema-beyond-provider": "tool schemas use keywords that the provider does not heed",
};

const REASONS: { readonly [Kind in ReasonedWarningKind]: Readonly<Record<LeftOutReason[Kind], string>> } = {
  "result-left-out": {
    "no-call": "nothing calls for them",
    "answered-already": "their call is answered already",
    "ambiguous-call": "several open calls have their id",
  },
  "reasoning-left-out": {
    "not-replayed": "the format does not take it back",
    "not-signed": "no provider signed it",
    "other-provider": "another provider made it",
    "other-model": "another model made it",
    "behind-an-edit": "it is bound to a prefix that was folded",
    "at-the-end": "a message must not end with it",
  },
  "media-replaced": {
    role: "only user messages may hold them",
    "media-type": "the provider does not take their type",
    source: "the provider cannot read their source",
    "in-tool-result": "tool results are text here",
  },
  "opaque-left-out": {
    "other-provider": "they mean nothing to this one",
    "other-model": "this model does not take them",
    malformed: "they are not items of this one",
    "without-partner": "their call or answer is not there",
    repeated: "they stand there already",
    misplaced: "what they stand for is sent as it is",
  },
};

/** A warning as one line for a person: what, why, and how often. */
export function describeWarning(warning: RenderWarning): string {
  const sentence = SENTENCES[warning.kind];
  if ("names" in warning) return `${sentence}: ${warning.names.join(", ")}`;
  const reason = "reason" in warning ? (REASONS[warning.kind] as Record<string, string>)[warning.reason] : undefined;
  const explained = reason === undefined ? sentence : `${sentence}: ${reason}`;
  const { length } = warning.messageIds;
  return length < 2 ? explained : `${explained} (${length} messages)`;
}
