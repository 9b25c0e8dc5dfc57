import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { runs } from "../laws/runs.ts";
import { AppendOnlyList, AppendOnlySet, RunningTotals, sharedLength } from "./append-only-list.ts";

/** Which value of the family to work on, and what to do with it. */
type Step =
  | { readonly op: "append"; readonly on: number; readonly items: readonly number[] }
  | { readonly op: "prefix"; readonly on: number; readonly length: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ op: fc.constant("append" as const), on: fc.nat(), items: fc.array(fc.nat(99), { maxLength: 4 }) }),
    fc.record({ op: fc.constant("prefix" as const), on: fc.nat(), length: fc.nat(12) }),
  ),
  { maxLength: 20 },
);

/** The values that the steps make, each with an array of what it must hold. */
function valuesOf(list: readonly Step[]) {
  const family = [{ real: AppendOnlyList.empty<number>(), model: [] as readonly number[] }];
  for (const step of list) {
    const { real, model } = family[step.on % family.length] as (typeof family)[number];
    family.push(
      step.op === "append"
        ? { real: real.append(step.items), model: [...model, ...step.items] }
        : { real: real.prefix(step.length), model: model.slice(0, step.length) },
    );
  }
  return family;
}

describe("AppendOnlySet", () => {
  it("behaves like a set copied on every change, whichever value is added to", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.array(fc.nat(9), { maxLength: 4 })), { maxLength: 20 }), (steps) => {
        const values = [{ real: AppendOnlySet.empty<number>(), model: new Set<number>() }];
        for (const [on, items] of steps) {
          const { real, model } = values[on % values.length] as (typeof values)[number];
          values.push({ real: real.append(items), model: new Set([...model, ...items]) });
        }
        for (const { real, model } of values) {
          expect(real.items.slice()).toEqual([...model]);
          for (let item = 0; item < 10; item++) expect(real.has(item)).toBe(model.has(item));
        }
      }),
      runs(200),
    );
  });

  it("adds to the newest value without copying it", () => {
    let set = AppendOnlySet.empty<number>();
    const { family } = set.items;
    for (let item = 0; item < 100; item++) set = set.append([item, Math.max(0, item - 1)]);
    expect(set.items.length).toBe(100);
    expect(set.items.family).toBe(family);
  });
});

describe("AppendOnlyList", () => {
  it("behaves the same when it is so long that it grows by parts", () => {
    const all = Array.from({ length: 40_000 }, (_, at) => at);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9_000 }), { maxLength: 6 }), fc.nat(40_000), (lengths, place) => {
        let list = AppendOnlyList.of(all.slice(0, 4_000));
        for (const length of lengths) list = list.append(all.slice(list.length, list.length + length));
        const cut = place % (list.length + 1);
        const other = list.prefix(cut).append([-1]);
        expect(list.slice()).toEqual(all.slice(0, list.length));
        expect(list.slice(cut)).toEqual(all.slice(cut, list.length));
        expect(list.slice(cut - 5, cut + 9_000)).toEqual(
          all.slice(Math.max(0, cut - 5), Math.min(list.length, cut + 9_000)),
        );
        expect(other.slice()).toEqual([...all.slice(0, cut), -1]);
        expect([...other.followedBy([-2])]).toEqual([...all.slice(0, cut), -1, -2]);
        expect(list.followedBy([-2])).toEqual([...all.slice(0, list.length), -2]);
        expect([list.at(cut), list.at(list.length)]).toEqual([all.slice(0, list.length)[cut], undefined]);
      }),
      runs(40),
    );
  });

  it("behaves like an array copied on every change, whichever value is appended to", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const family = valuesOf(list);
        for (const { real } of family) {
          const kin = family.filter((other) => other.real.family === real.family);
          const longest = kin.reduce(
            (best, other) => (other.model.length > best.length ? other.model : best),
            [] as readonly number[],
          );
          expect(longest.slice(0, real.length)).toEqual([...real]);
          for (const { real: other, model } of kin)
            expect(sharedLength(real.followedBy([-1]), other.followedBy([-2]))).toBe(
              Math.min(real.length, model.length),
            );
        }
        for (const one of family)
          for (const other of family) {
            const shared = sharedLength(one.real.followedBy([]), other.real.followedBy([]));
            expect(one.model.slice(0, shared)).toEqual(other.model.slice(0, shared));
            expect(sharedLength(one.model, other.model)).toBe(0);
          }
        for (const { real, model } of family) {
          expect([...real]).toEqual(model);
          expect(real.length).toBe(model.length);
          expect(real.slice()).toEqual(model);
          expect([real.at(-1), real.at(model.length), real.at(model.length - 1)]).toEqual([
            undefined,
            undefined,
            model.at(-1),
          ]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("clamps slices to its own prefix", () => {
    const short = AppendOnlyList.of([1, 2]);
    short.append([3, 4]);
    expect([short.slice(-5, 9), short.slice(1), short.slice(2), short.slice(1, 1)]).toEqual([[1, 2], [2], [], []]);
  });

  it("iterates over the items at the start of the iteration, whatever is appended meanwhile", () => {
    let list = AppendOnlyList.of([1, 2, 3]);
    const seen: number[] = [];
    for (const item of list) {
      seen.push(item);
      list = list.append([item + 10]);
    }
    expect(seen).toEqual([1, 2, 3]);
    expect([...list]).toEqual([1, 2, 3, 11, 12, 13]);
  });

  it("copies nothing when the newest value grows, and once when an older one does", () => {
    const copies = vi.spyOn(Array.prototype, "slice");
    let list = AppendOnlyList.empty<number>();
    const old = list.append([0]);
    list = old;
    for (let item = 1; item < 1_000; item++) list = list.append([item]);
    const whileGrowing = copies.mock.calls.length;
    let fork = old.append([-1]);
    for (let item = 2; item < 100; item++) fork = fork.append([-item]);
    const afterFork = copies.mock.calls.length;
    copies.mockRestore();
    // The list of parts, and the last part.
    expect([whileGrowing, afterFork]).toEqual([0, 2]);
    expect([list.length, fork.length, old.length]).toEqual([1_000, 100, 1]);
  });

  it("gives an array followed by other items without keeping those, whether newest, old or resumed", () => {
    const old = AppendOnlyList.of([1, 2]);
    const newest = old.append([3]);
    const resumed = AppendOnlyList.resumed(1, new Map([[0, 1]])).append([2]);
    const [slices, joins] = [vi.spyOn(Array.prototype, "slice"), vi.spyOn(Array.prototype, "concat")];
    const all = newest.followedBy([8, 9]);
    const copied = [slices.mock.calls.length, joins.mock.calls.length];
    slices.mockRestore();
    joins.mockRestore();
    expect(copied).toEqual([0, 1]);
    expect([all, old.followedBy([8]), resumed.followedBy([8])]).toEqual([
      [1, 2, 3, 8, 9],
      [1, 2, 8],
      [1, 2, 8],
    ]);
    expect([...newest.append([4])]).toEqual([1, 2, 3, 4]);
    expect([...newest, ...old]).toEqual([1, 2, 3, 1, 2]);
  });
});

describe("RunningTotals", () => {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

  it("law: totals and positions equal those of each array counted by itself, whatever list it starts with", () => {
    fc.assert(
      fc.property(steps, fc.array(fc.nat(3), { maxLength: 3 }), fc.nat(200), (list, tail, asked) => {
        // Items that count for nothing are among them.
        const totals = new RunningTotals<number>((item) => item % 5);
        for (const { real, model } of valuesOf(list))
          for (const items of [real.followedBy(tail), [...model, ...tail]]) {
            const counts = items.map((item) => item % 5);
            const length = asked % (items.length + 1);
            expect([totals.of(items), totals.of(items, length)]).toEqual([sum(counts), sum(counts.slice(0, length))]);
            const total = asked % (sum(counts) + 1);
            expect(totals.placeAbove(items, total)).toBe(
              counts.findIndex((_, index) => sum(counts.slice(0, index + 1)) > total),
            );
          }
      }),
      runs(500),
    );
  });

  it("counts only new items of a growing list and the items that follow it", () => {
    const counted = vi.fn((item: number) => item);
    const totals = new RunningTotals(counted);
    let list = AppendOnlyList.empty<number>();
    for (let item = 0; item < 500; item++) {
      list = list.append([item]);
      totals.of(list.followedBy([1]));
    }
    expect(counted).toHaveBeenCalledTimes(1_000);
  });
});
