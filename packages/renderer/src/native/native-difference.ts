import type { CompactionAction, MessageId, PinId } from "@threadfold/core";

/** Why a decision of a plan is not among a provider's own edits and stays with rendering. */
export type LeftReason =
  /** The provider has no edit that does it. */
  | "no-such-edit"
  /** The edit was not asked for. */
  | "not-asked-for"
  /** The record keeps head and tail of a body; the provider clears whole bodies. */
  | "keeps-head-and-tail"
  /** The provider edits from the oldest on, and something older stays in the plan. */
  | "something-older-stays"
  /** The provider clears the inputs of all calls whose results it clears, or of none. */
  | "inputs-of-some-calls"
  /** The provider clears the thinking of whole turns, from the oldest on, and never of the newest. */
  | "thinking-by-turn";

/** What a provider's own edits do otherwise than the plan says, or leave to rendering. Data, so that a host can decide. */
export type NativeDifference =
  /** Not handed over: these decisions are in `rest` and rendered by us. */
  | {
      readonly kind: "left-to-rendering";
      readonly action: CompactionAction;
      readonly reason: LeftReason;
      readonly messageIds: readonly MessageId[];
    }
  /** The provider clears the results of these calls too, though the plan keeps them. */
  | { readonly kind: "cleared-too"; readonly messageIds: readonly MessageId[] }
  /** The provider's placeholder stands for these bodies; the key data that ours would show is gone. */
  | { readonly kind: "key-data-lost"; readonly messageIds: readonly MessageId[] }
  /** The provider writes its own summary of these messages; that of the plan is not sent. */
  | { readonly kind: "summary-by-provider"; readonly messageIds: readonly MessageId[] }
  /** The provider summarizes these messages too, though the plan keeps them. */
  | { readonly kind: "summarized-too"; readonly messageIds: readonly MessageId[] }
  /** Pins that the provider's summary may lose: at best the model is told to keep them. */
  | { readonly kind: "pins-at-risk"; readonly told: boolean; readonly pinIds: readonly PinId[] }
  /** The provider does not compact before the prompt has so many tokens, and this one has fewer. */
  | { readonly kind: "not-due"; readonly tokens: number; readonly threshold: number }
  /** The threshold that was asked for is below the provider's least one, which is sent instead. */
  | { readonly kind: "threshold-raised"; readonly asked: number; readonly threshold: number }
  /** What the model sees is made at the provider: token counts and recorded requests are those of the prompt before its edits. */
  | { readonly kind: "edited-out-of-sight" };

const REASONS: Readonly<Record<LeftReason, string>> = {
  "no-such-edit": "the provider has no such edit",
  "not-asked-for": "the edit was not asked for",
  "keeps-head-and-tail": "the provider clears whole bodies",
  "something-older-stays": "the provider edits from the oldest on, and something older stays",
  "inputs-of-some-calls": "the provider clears the inputs of all cleared calls or of none",
  "thinking-by-turn": "the provider clears the thinking of whole older turns alone",
};

/** A difference as one line for a person. */
export function describeNativeDifference(difference: NativeDifference): string {
  switch (difference.kind) {
    case "left-to-rendering":
      return `${difference.action} of ${count(difference.messageIds)} stays with rendering: ${REASONS[difference.reason]}`;
    case "cleared-too":
      return `results in ${count(difference.messageIds)} are cleared too, though the plan keeps them`;
    case "key-data-lost":
      return `the placeholder for ${count(difference.messageIds)} shows none of the key data that the plan keeps`;
    case "summary-by-provider":
      return `the provider writes its own summary of ${count(difference.messageIds)}`;
    case "summarized-too":
      return `${count(difference.messageIds)} that the plan keeps are summarized too`;
    case "pins-at-risk":
      return `${difference.pinIds.length} pins may be lost in the provider's summary${difference.told ? ", though it is told to keep them" : ""}`;
    case "not-due":
      return `the prompt has ${difference.tokens} tokens; the provider compacts above ${difference.threshold}`;
    case "threshold-raised":
      return `the provider compacts at no less than ${difference.threshold} tokens; ${difference.asked} were asked for`;
    case "edited-out-of-sight":
      return "what the model sees is made at the provider, so counts and recorded requests are those before its edits";
  }
}

const count = ({ length }: readonly unknown[]): string => `${length} ${length === 1 ? "message" : "messages"}`;
