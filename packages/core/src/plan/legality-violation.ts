import type { MessageId } from "../model/ids.ts";

/** A broken rule of a provider's format, with the message and the plan record that caused it where they are known. */
export interface LegalityViolation {
  /** Id of the rule in the format's legality table. */
  readonly rule: string;
  readonly problem: string;
  /** Position in the payload, as a JSON path. */
  readonly at: string;
  readonly messageId?: MessageId;
  /** The record that folded the message: its action, strategy and span start. */
  readonly causedBy?: string;
}
