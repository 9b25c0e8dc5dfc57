import type { OnRequest } from "./ask-model.ts";
import type { DivergenceOptions } from "./divergence.ts";

/** What every door to a host's own list of messages takes beside its session. */
export interface DoorOptions extends DivergenceOptions {
  /** Hears of each request that is prepared. What it throws is ignored. */
  readonly onRequest?: OnRequest;
}

/** The options that are given: one that is undefined is left out. */
export const givenDoorOptions = ({ onDiverged, onSwitch, onRequest }: DoorOptions): DoorOptions => ({
  ...(onDiverged !== undefined && { onDiverged }),
  ...(onSwitch !== undefined && { onSwitch }),
  ...(onRequest !== undefined && { onRequest }),
});
