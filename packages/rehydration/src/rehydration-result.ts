import type { ArtifactId } from "@threadfold/core";

/** Content that is brought back for one turn (seed 002). It goes into the prompt of that turn and never into the thread. */
export interface RehydrationResult {
  readonly artifactId: ArtifactId;
  /** The content, or its beginning and a marker that says how much is missing. */
  readonly content: string;
  /** Tokens of `content`, marker included. */
  readonly tokenCount: number;
  readonly truncated: boolean;
  /** Why it was brought back. */
  readonly trigger: RehydrationTrigger;
}

/** What the agent did that asked for an artifact. */
export type RehydrationTrigger = "message-reference" | "argument-reference" | "hint-match" | "recall-match";
