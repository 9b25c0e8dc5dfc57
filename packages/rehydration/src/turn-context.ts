import type { ArtifactId } from "@threadfold/core";
import type { RehydrationResult } from "./rehydration-result.ts";

/**
 * What one turn has done so far, as an immutable value (seed 002). After a rehydration the compactor skips externalize
 * and drop for the rest of the turn, so that what was just brought back is not taken away again.
 */
export class TurnContext {
  readonly turn: number;
  readonly rehydratedTokens: number;
  readonly rehydratedArtifactIds: readonly ArtifactId[];

  private constructor(turn: number, tokens: number, artifactIds: readonly ArtifactId[]) {
    this.turn = turn;
    this.rehydratedTokens = tokens;
    this.rehydratedArtifactIds = Object.freeze([...artifactIds]);
    Object.freeze(this);
  }

  /** A turn in which nothing has happened. */
  static start(turn: number): TurnContext {
    return new TurnContext(turn, 0, []);
  }

  get rehydrationHappened(): boolean {
    return this.rehydratedArtifactIds.length > 0;
  }

  /** The turn after content was brought back. */
  withRehydrated(results: readonly RehydrationResult[]): TurnContext {
    if (results.length === 0) return this;
    const tokens = results.reduce((sum, { tokenCount }) => sum + tokenCount, this.rehydratedTokens);
    return new TurnContext(this.turn, tokens, [
      ...this.rehydratedArtifactIds,
      ...results.map(({ artifactId }) => artifactId),
    ]);
  }

  /** True when externalize and drop should wait for the next turn. */
  shouldSkipAggressiveCompaction(): boolean {
    return this.rehydrationHappened;
  }
}
