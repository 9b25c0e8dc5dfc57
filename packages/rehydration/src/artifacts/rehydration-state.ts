import type { ArtifactId, ArtifactMetadata, CompactionPlan, JsonObject } from "@threadfold/core";

/** The turn in which each artifact or recalled message was last brought back, by id. Plain JSON that the host keeps. */
export interface RehydrationState {
  readonly lastTurns: Readonly<Record<string, number>>;
}

/** The state before anything was brought back. */
export const NO_REHYDRATIONS: RehydrationState = Object.freeze({ lastTurns: Object.freeze({}) });

/** True while an artifact may not be brought back again: it last was fewer than `cooldownTurns` turns ago. */
export function isInCooldown(state: RehydrationState, id: string, turn: number, cooldownTurns: number): boolean {
  if (!Object.hasOwn(state.lastTurns, id)) return false;
  return turn - (state.lastTurns[id] as number) < cooldownTurns;
}

/** Returns the state after artifacts were brought back. Entries past their cooldown are removed to keep it small. */
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

/** Content that is brought back for one turn. It goes only into the prompt of that turn, never into the thread. */
export interface RehydrationResult {
  readonly artifactId: ArtifactId;
  /** The content, or its beginning and a marker that says how much is missing. */
  readonly content: string;
  /** Tokens of `content`, including the marker. */
  readonly tokenCount: number;
  readonly truncated: boolean;
  /** Why it was brought back. */
  readonly trigger: RehydrationTrigger;
  /** Metadata of the source artifact, which applies to every copy of its content. */
  readonly metadata: Pick<ArtifactMetadata, "createdAt" | "ttlSeconds" | "sensitivity" | "mediaType">;
}

/** How the agent asked for an artifact. */
export type RehydrationTrigger = "message-reference" | "argument-reference" | "hint-match" | "recall-match";

/**
 * What was brought back so far in one turn, as an immutable value. After a rehydration, the compactor skips
 * externalizing and dropping for the rest of the turn, so that what was just brought back is not removed again.
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

  /** Returns the context of a turn in which nothing has happened yet. */
  static start(turn: number): TurnContext {
    return new TurnContext(turn, 0, []);
  }

  get rehydrationHappened(): boolean {
    return this.rehydratedArtifactIds.length > 0;
  }

  /** Returns the context after content was brought back. */
  withRehydrated(results: readonly RehydrationResult[]): TurnContext {
    if (results.length === 0) return this;
    const tokens = results.reduce((sum, { tokenCount }) => sum + tokenCount, this.rehydratedTokens);
    return new TurnContext(this.turn, tokens, [
      ...this.rehydratedArtifactIds,
      ...results.map(({ artifactId }) => artifactId),
    ]);
  }

  /** True when externalizing and dropping should wait for the next turn. */
  shouldSkipAggressiveCompaction(): boolean {
    return this.rehydrationHappened;
  }
}

/** What a prompt says about an artifact. */
export interface Pointer {
  /** The artifact's `rehydrateHint`; the agent asking for what it describes brings the artifact back. */
  readonly hint: string;
  /** Names and key fields that are in its content and, next to the pointer, in the prompt. */
  readonly content: readonly string[];
}

/**
 * Returns the artifacts that a plan's prompt names: those with pointers, including their names, and those in summaries.
 */
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

/** Returns the names of fields, and their values if these are strings. */
function contentNames(fields: JsonObject): readonly string[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const values = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
    return field === "names" ? values : [field, ...values];
  });
}
