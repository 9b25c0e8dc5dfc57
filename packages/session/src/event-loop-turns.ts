import { type EventLoop, EventLoopTurns } from "@threadfold/core";

// Kept from when this was loaded: a host's tests that fake timers would otherwise hold up every append.
const machine: EventLoop = { later: setTimeout, now: performance.now.bind(performance) };

/** Turns of this machine's event loop, for one long piece of work. */
export const eventLoopTurns = (): EventLoopTurns => new EventLoopTurns(machine);
