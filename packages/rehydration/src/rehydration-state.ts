/** The turn in which each artifact, or recalled message, was last brought back, by id. Plain JSON; kept by the host from turn to turn. */
export interface RehydrationState {
  readonly lastTurns: Readonly<Record<string, number>>;
}

/** Nothing was brought back yet. */
export const NO_REHYDRATIONS: RehydrationState = Object.freeze({ lastTurns: Object.freeze({}) });

/** True while an artifact may not be brought back again: fewer than `cooldownTurns` turns have passed since it was (seed 002). */
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
