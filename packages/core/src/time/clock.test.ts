import { describe, expect, it } from "vitest";
import { checkTimeLimit, raceSignal, type TimeLimit, type Timers, withinLimit } from "./clock.ts";

/** Timers that fire when they are told to. */
function handTimers() {
  const waiting = new Map<number, () => void>();
  let count = 0;
  const timers: Timers = {
    setTimeout: (run) => {
      waiting.set(++count, run);
      return count;
    },
    clearTimeout: (timer) => void waiting.delete(timer),
  };
  const fire = (): void => {
    for (const run of waiting.values()) run();
  };
  return { timers, fire, waiting };
}

const limitBy = (timers: Timers, more: Partial<TimeLimit> = {}): TimeLimit => ({
  ...{ milliseconds: 50, waitedFor: "the clerk", option: "clerkTimeLimitMs", timers },
  ...more,
});

describe("a wait with a limit", () => {
  it("returns the work's result or error, even a synchronous one, and leaves no timer behind", async () => {
    const { timers, waiting } = handTimers();
    expect(await withinLimit(() => 7, limitBy(timers))).toBe(7);
    expect(await withinLimit(async () => 8, limitBy(timers))).toBe(8);
    const broken = (): never => {
      throw new Error("broken");
    };
    await expect(withinLimit(broken, limitBy(timers))).rejects.toThrow("broken");
    await expect(withinLimit(async () => broken(), limitBy(timers))).rejects.toThrow("broken");
    expect(waiting.size).toBe(0);
  });

  it("ends when its time is up, aborts the work, and names what it waited for, how long and the option", async () => {
    const { timers, fire, waiting } = handTimers();
    let heard: AbortSignal | undefined;
    const wait = withinLimit((signal) => {
      heard = signal;
      return new Promise<never>(() => undefined);
    }, limitBy(timers));
    fire();
    await expect(wait).rejects.toMatchObject({
      code: "TIMED_OUT",
      retryable: true,
      message: "There was no answer from the clerk within 50 ms.",
      details: { waitedFor: "the clerk", milliseconds: 50, option: "clerkTimeLimitMs" },
      hint: expect.stringContaining("clerkTimeLimitMs"),
    });
    expect([heard?.aborted, waiting.size]).toEqual([true, 0]);
  });

  it("ends at once when its signal is aborted before or during the wait", async () => {
    const { timers, waiting } = handTimers();
    const controller = new AbortController();
    const wait = withinLimit(() => new Promise<never>(() => undefined), limitBy(timers, { signal: controller.signal }));
    controller.abort(new Error("enough"));
    await expect(wait).rejects.toThrow("enough");
    let ran = false;
    const late = withinLimit(() => (ran = true), limitBy(timers, { signal: controller.signal }));
    await expect(late).rejects.toThrow("enough");
    expect([ran, waiting.size]).toEqual([false, 0]);
  });

  it("ignores late results and leaves no unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): unknown => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const { timers, fire } = handTimers();
    const work = Promise.withResolvers<string>();
    const wait = withinLimit(() => work.promise, limitBy(timers, { late: () => new Error("too late") }));
    fire();
    await expect(wait).rejects.toThrow("too late");
    work.reject(new Error("nobody cares"));
    const race = Promise.withResolvers<string>();
    await expect(raceSignal(() => race.promise, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  it("is set in whole milliseconds within a timer's range", () => {
    expect(checkTimeLimit("limitMs", 1)).toBe(1);
    for (const wrong of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, "7" as never])
      expect(() => checkTimeLimit("limitMs", wrong)).toThrow(/^limitMs: /);
  });
});
