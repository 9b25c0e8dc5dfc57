import type { ArtifactId, ArtifactMetadata, CompactionPlan, JsonObject } from "@threadfold/core";

/** The turn in which each artifact, or recalled message, was last brought back, by id. Plain JSON; kept by the host from turn to turn. */
export interface RehydrationState {
  readonly lastTurns: Readonly<Record<string, number>>;
}

/** Nothing was brought back yet. */
export const NO_REHYDRATIONS: RehydrationState = Object.freeze({ lastTurns: Object.freeze({}) });

/** True while an artifact may not be brought back again: fewer than `cooldownTurns` turns have passed since it was. */
export function isInCooldown(state: RehydrationState, id: string, turn: number, cooldownTurns: number): boolean {
  if (!Object.hasOwn(state.lastTurns, id)) return false;
  return turn - (state.lastTurns[id] as number) < cooldownTurns;
}

/** The state after artifacts were brought back. Entries whose cooldown is over are dropped, so that the state stays small. */
export function withRehydrated(
  state: RehydrationState,
  ids: readonly string[],
  turn: number,
  cooldownTurns: number,
): RehydrationState {
  if (ids.length === 0) return state;
  const cooling = Object.entries(state.lastTurns).filter(([, last]) => turn - last < cooldownTurns);
  return Object.freeze({
    lastTurns: Object.freeze(Object.fromEntries([...cooling, ...ids.map((id): [string, number] => [id, turn])])),
  });
}

/** Content that is brought back for one turn. It goes into the prompt of that turn and never into the thread. */
export interface RehydrationResult {
  readonly artifactId: ArtifactId;
  /** The content, or its beginning and a marker that says how much is missing. */
  readonly content: string;
  /** Tokens of `content`, marker included. */
  readonly tokenCount: number;
  readonly truncated: boolean;
  /** Why it was brought back. */
  readonly trigger: RehydrationTrigger;
  /** What holds for the artifact that it came from, and so for every copy of it. */
  readonly metadata: Pick<ArtifactMetadata, "createdAt" | "ttlSeconds" | "sensitivity" | "mediaType">;
}

/** What the agent did that asked for an artifact. */
export type RehydrationTrigger = "message-reference" | "argument-reference" | "hint-match" | "recall-match";

/**
 * What one turn has done so far, as an immutable value. After a rehydration the compactor skips externalize
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

/** What a prompt says of an artifact. */
export interface Pointer {
  /** What it was made from: a question about just that brings it back. */
  readonly hint: string;
  /** Names and key fields that stand in its content, and in the prompt beside the pointer. */
  readonly content: readonly string[];
}

/** The artifacts that a plan's prompt names: those behind pointers, with what stands in them, and those in summaries. */
export function pointersOf(plan: CompactionPlan): ReadonlyMap<ArtifactId, Pointer> {
  const absorbed = plan.summarizations.flatMap(({ summary }) => summary.artifacts);
  return new Map([
    ...plan.externalizations.map(({ artifactId, rehydrateHint: hint, summary }): [ArtifactId, Pointer] => [
      artifactId,
      { hint, content: summary.toolOutcomes.flatMap(({ keyFields }) => contentNames(keyFields)) },
    ]),
    ...absorbed.map(({ artifactId, rehydrateHint: hint }): [ArtifactId, Pointer] => [
      artifactId,
      { hint, content: [] },
    ]),
  ]);
}

/** What fields are called and what they hold, as far as that is a word or a name. */
function contentNames(fields: JsonObject): readonly string[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const values = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
    return field === "names" ? values : [field, ...values];
  });
}
