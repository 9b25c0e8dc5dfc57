import type { StoreFinding } from "@threadfold/stores";

/** What was checked of a thread's record, and what failed. */
export interface Integrity {
  /** What does not verify: the first bad item of each family. Empty when everything verifies. */
  readonly findings: readonly StoreFinding[];
  readonly entries: number;
  readonly plans: number;
  readonly artifacts: number;
  readonly journal: number;
  /** The thread's digest: the last link of its chain. */
  readonly threadDigest: string;
  /** Root of the Merkle tree (RFC 6962) over the journal. */
  readonly rootHash: string;
  readonly checkpoints: readonly CheckpointRow[];
  /**
   * Recorded requests rendered again: how many produced the recorded bytes, produced others, or could not be rendered.
   */
  readonly replay: { readonly equal: number; readonly different: number; readonly notRendered: number };
  /** Requests that could not be reproduced, and why. */
  readonly mismatches: readonly { readonly call: number; readonly problem: string }[];
  /** Every rule of the formats that were used, and the calls that break it. */
  readonly rules: readonly RuleRow[];
}

/** The state of a thread and its journal at one time, as recorded in the journal. */
export interface CheckpointRow {
  readonly sequence: number;
  readonly at: number;
  readonly size: number;
  readonly rootHash: string;
  readonly signed: boolean;
}

/** A rule of a provider's format. */
export interface RuleRow {
  readonly format: string;
  readonly id: string;
  readonly description: string;
  readonly violations: readonly { readonly call: number; readonly problem: string; readonly at: string }[];
}
