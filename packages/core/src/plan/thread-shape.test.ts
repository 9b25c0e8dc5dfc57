import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { TokenLedger } from "../budget/token-ledger.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { listDigest, sha256 } from "../json/sha256.ts";
import { assistant, call, result, tool } from "../laws/messages.ts";
import { runs } from "../laws/runs.ts";
import { countingTokenizer } from "../laws/samples.ts";
import { agentThreads } from "../laws/thread-arbitrary.ts";
import { asThreadId } from "../model/ids.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import {
  type GroupedLedger,
  type GroupedThread,
  groupLedger,
  groupLedgerInSteps,
  groupMessages,
  type ReadableList,
} from "./message-group.ts";
import { OrdinalMap, type ThreadShape, threadShape } from "./thread-shape.ts";

const emptyLedger = () => TokenLedger.empty(countingTokenizer(), () => "anchoring");

/** The shape of a thread, whole and without the messages from one ordinal to another, which a record from there on took out. */
function shapes(
  thread: AgentThread,
  from: number,
  to: number,
  recordFrom = from,
): { readonly whole: ThreadShape; readonly rest: ThreadShape } {
  const ledger = emptyLedger().extend(thread);
  const grouped = groupMessages(ledger.headers);
  const whole = threadShape(thread, ledger, grouped);
  const within = whole.spanOf(Array.from({ length: to + 1 - recordFrom }, (_, index) => recordFrom + index));
  return { whole, rest: threadShape(thread, ledger, grouped, [{ from, to, within }]) };
}

/** Long enough to be grouped in several steps. */
const longThread = (): AgentThread =>
  AgentThread.empty(asThreadId("long")).append(
    Array.from({ length: 1_500 }, (_, at) =>
      at % 2 === 0
        ? assistant(`a${at}`, call(`c${at}`, "bash", {}))
        : tool(`r${at}`, result(`c${at - 1}`, "done", { toolName: "bash" })),
    ),
  );

describe("P9: a thread shape with a skipped range", () => {
  const cases = fc.record({
    thread: agentThreads({ malformed: true }).filter(({ length }) => length >= 5),
    from: fc.nat(),
    length: fc.nat(),
    isWhole: fc.boolean(),
  });

  it("gives the same spans, counts and sums as the whole, and refuses to show skipped messages", () => {
    fc.assert(
      fc.property(cases, ({ thread, from: start, length, isWhole }) => {
        const from = 1 + (start % (thread.length - 2));
        const to = Math.min(thread.length - 2, from + (length % 5));
        const { whole, rest } = shapes(thread, from, to, isWhole ? 0 : from);
        const all = Array.from({ length: thread.length }, (_, ordinal) => ordinal);
        const shown = all.filter((ordinal) => ordinal < from || ordinal > to);
        expect(rest.spanOf(shown)).toEqual(whole.spanOf(all));
        expect(canonicalJson(rest.spanOf(shown))).toBe(canonicalJson(whole.spanOf(all)));
        expect(rest.countOf(shown)).toBe(thread.length);
        expect(rest.tokensOf(shown)).toBe(whole.tokensOf(all));
        expect(rest.ordinalsOf(whole.spanOf(all))).toEqual(shown);
        expect(all.map((ordinal) => rest.ordinalOf(whole.header(ordinal).id))).toEqual(all);
        expect(rest.after(from - 1)).toBe(to + 1);
        expect(rest.before(to + 1)).toBe(from - 1);
        expect(() => rest.header(from)).toThrow(expect.objectContaining({ code: "HISTORY_NOT_LOADED" }));
      }),
      runs(60),
    );
  });

  it("groups a ledger in steps as at once, even if other ledgers are grouped between steps", () => {
    fc.assert(
      fc.property(fc.nat(), (place) => {
        const thread = longThread();
        const cut = thread.atVersion(place % (thread.version + 1));
        const first = emptyLedger().extend(cut);
        const ledger = first.extend(thread);
        const steps = groupLedgerInSteps(first);
        const between = [first, ledger, first];
        let step = steps.next();
        for (; step.done !== true; step = steps.next()) {
          const other = between.pop();
          if (other !== undefined) expect(inArrays(groupLedger(other))).toEqual(groupMessages(other.headers));
        }
        expect(inArrays(step.value)).toEqual(groupMessages(first.headers));
      }),
      runs(10),
    );
  });

  it("groups a growing ledger like the whole at once, without changing earlier groupings", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true }), fc.nat(), (thread, place) => {
        const cut = thread.atVersion(place % (thread.version + 1));
        const first = emptyLedger().extend(cut);
        const before = groupLedger(first);
        const copy = structuredClone(inArrays(before));
        const ledger = first.extend(thread);
        expect(inArrays(groupLedger(ledger))).toEqual(groupMessages(ledger.headers));
        expect(inArrays(before)).toEqual(copy);
        expect(inArrays(groupLedger(first))).toEqual(groupMessages(first.headers));
      }),
      runs(60),
    );
  });

  it("P9: groups new entries of a ledger without copying all earlier groups", () => {
    const thread = longThread();
    const ledger = emptyLedger().extend(thread);
    groupLedger(ledger);
    const grown = ledger.extend(thread.append([assistant("new", call("c-new", "bash", {}))]));
    const copied: number[] = [];
    const { slice } = Array.prototype;
    const copies = vi.spyOn(Array.prototype, "slice").mockImplementation(function (this: unknown[], ...places) {
      copied.push(this.length);
      return slice.apply(this, places);
    });
    groupLedger(grown);
    copies.mockRestore();
    expect(copied.length).toBeGreaterThan(0);
    expect(Math.max(...copied)).toBeLessThan(thread.length / 2);
  });

  it("P9: gives lists that read like arrays, even after the ledger has grown", () => {
    const thread = longThread();
    fc.assert(
      fc.property(
        fc.nat({ max: thread.length }),
        fc.nat({ max: 2_000 }),
        fc.nat({ max: 2_000 }),
        (length, from, to) => {
          const ledger = emptyLedger().extend(thread.atVersion(length));
          const grouped = groupLedger(ledger);
          groupLedger(ledger.extend(thread));
          for (const [list, array] of listsBeside(grouped, groupMessages(ledger.headers))) {
            expect([...list]).toEqual(array);
            expect(list.length).toBe(array.length);
            expect(list.slice(from, to)).toEqual(array.slice(from, to));
            expect(list.at(from)).toEqual(array.at(from));
            expect(list.at(array.length)).toBeUndefined();
          }
        },
      ),
      runs(20),
    );
  });
});

describe("P9: the span of a very long thread", () => {
  const ORDINALS = Array.from({ length: 150_000 }, (_, ordinal) => ordinal);
  const ids = ORDINALS.map((ordinal) => `message-${ordinal}`);

  /** The shape of such a thread, of which only headers are read, and how many were. */
  function longShape() {
    const asked = { headers: 0 };
    const header = (ordinal: number) => {
      asked.headers++;
      return { id: ids[ordinal], turn: ordinal < 10 ? 1 : 2 };
    };
    const ledger = { length: ids.length, header, absent: [] } as unknown as TokenLedger;
    return { asked, shape: threadShape(longThread(), ledger, groupMessages([])) };
  }

  it("is found in steps of a few thousand messages, the same as at once", () => {
    const { asked, shape } = longShape();
    const read: number[] = [];
    const steps = shape.spanInSteps(ORDINALS);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) read.push(asked.headers);
    expect(Math.max(...read.map((count, index) => count - (read[index - 1] ?? 0)))).toBeLessThanOrEqual(5_000);
    expect(step.value).toEqual({ messageIds: ids, firstTurn: 1, lastTurn: 2 });
    expect(longShape().shape.spanOf(ORDINALS)).toEqual(step.value);
  });

  it("has the digest of all its ids, whether they were hashed in parts or not", () => {
    const { shape } = longShape();
    for (const count of [150_000, 131_072, 65_537, 65_536, 5_000])
      expect(listDigest(shape.spanOf(ORDINALS.slice(0, count)).messageIds)).toBe(
        sha256(canonicalJson(ids.slice(0, count))),
      );
  });
});

describe("a map by message ordinal", () => {
  const changes = fc.array(
    fc.record({ ordinal: fc.oneof(fc.nat(9), fc.nat(100_000)), value: fc.option(fc.nat(), { nil: null }) }),
  );

  it("holds what a Map would, in the order of the ordinals, also while it changes", () => {
    fc.assert(
      fc.property(changes, changes, (before, during) => {
        const [held, expected] = [new OrdinalMap<number>(), new Map<number, number>()];
        const change = ({ ordinal, value }: { readonly ordinal: number; readonly value: number | null }) => {
          if (value === null) expect(held.delete(ordinal)).toBe(expected.delete(ordinal));
          else held.set(ordinal, value) && expected.set(ordinal, value);
          expect(held.get(ordinal)).toBe(expected.get(ordinal));
        };
        const inOrder = () => [...expected].sort(([a], [b]) => a - b);
        for (const one of before) change(one);
        expect([...held]).toEqual(inOrder());
        const left = [...during];
        for (const [ordinal, value] of held) {
          expect(expected.get(ordinal)).toBe(value);
          const next = left.pop();
          if (next !== undefined) change(next);
        }
        expect([...held]).toEqual(inOrder());
      }),
      runs(100),
    );
  });
});

/** A grouped ledger as `groupMessages` gives it. */
const inArrays = ({ groups, groupOf, issues, gaps }: GroupedLedger): GroupedThread => ({
  groups: groups.slice(),
  groupOf: groupOf.slice(),
  issues: issues.slice(),
  gaps: gaps.slice(),
});

const listsBeside = (grouped: GroupedLedger, whole: GroupedThread): [ReadableList<unknown>, readonly unknown[]][] => [
  [grouped.groups, whole.groups],
  [grouped.groupOf, whole.groupOf],
  [grouped.issues, whole.issues],
  [grouped.gaps, whole.gaps],
];
