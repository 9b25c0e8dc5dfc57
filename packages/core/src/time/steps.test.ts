import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../laws/runs.ts";
import { type EventLoop, EventLoopTurns, finishSteps, LongMap, type Steps } from "./steps.ts";

/** A loop whose clock goes on with the work, and that tells when it was let turn. */
function scriptedLoop() {
  const turns: number[] = [];
  const state = { now: 0 };
  const loop: EventLoop = {
    now: () => state.now,
    later: (run) => {
      turns.push(state.now);
      queueMicrotask(run);
    },
  };
  return { loop, turns, state };
}

/** So many steps of so many milliseconds each. */
function* work(count: number, milliseconds: number, state: { now: number }): Steps<number> {
  for (let step = 0; step < count; step++) {
    yield;
    state.now += milliseconds;
  }
  return count;
}

describe("work done in steps of the event loop", () => {
  it("gives the same result as at once, and yields to the event loop regularly", async () => {
    const { loop, turns, state } = scriptedLoop();
    expect(await new EventLoopTurns(loop).finish(work(100, 1, state))).toBe(finishSteps(work(100, 1, { now: 0 })));
    expect(turns.length).toBeGreaterThanOrEqual(15);
    for (const [index, at] of turns.entries()) expect(at - (turns[index - 1] ?? 0)).toBeLessThanOrEqual(6);
  });

  it("does not yield if it is done soon", async () => {
    const { loop, turns, state } = scriptedLoop();
    await new EventLoopTurns(loop).finish(work(4, 1, state));
    expect(turns).toEqual([]);
  });

  it("ends with the signal's reason when aborted, and does no further step", async () => {
    const { loop, state } = scriptedLoop();
    const controller = new AbortController();
    const later: EventLoop["later"] = (run) => {
      if (state.now > 50) controller.abort(new Error("the user left"));
      return loop.later(run);
    };
    const finished = new EventLoopTurns({ ...loop, later }).finish(work(1_000, 1, state), controller.signal);
    await expect(finished).rejects.toThrow("the user left");
    expect(state.now).toBeLessThan(60);
  });

  it("lets due timers run in a single yield", async () => {
    for (const begin of [setImmediate, setTimeout, queueMicrotask]) {
      await new Promise<void>((resolve) => void begin(resolve));
      const turns = new EventLoopTurns();
      let isHeard = false;
      setTimeout(() => (isHeard = true), 1);
      for (const end = performance.now() + 10; performance.now() < end; );
      await turns.take();
      expect(isHeard).toBe(true);
    }
  });
});

describe("a map that is filled in steps", () => {
  it("law: holds what a Map would", () => {
    const sets = fc.array(fc.tuple(fc.nat(30), fc.nat()), { maxLength: 60 });
    fc.assert(
      fc.property(sets, fc.constantFrom(0, 65_530, 131_070), (given, filled) => {
        const [held, expected] = [new LongMap<number>(), new Map<string, number>()];
        for (let at = 0; at < filled; at++) held.set(`filled ${at}`, at);
        for (const [key, value] of given) {
          held.set(`key ${key}`, value);
          expected.set(`key ${key}`, value);
        }
        for (let key = 0; key <= 30; key++) {
          expect(held.get(`key ${key}`)).toBe(expected.get(`key ${key}`));
          expect(held.has(`key ${key}`)).toBe(expected.has(`key ${key}`));
        }
        if (filled > 0) expect(held.get("filled 7")).toBe(7);
      }),
      runs(20),
    );
  });
});
