import {
  asMessageId,
  type ClearRecord,
  groupRecords,
  type Message,
  NO_RECORDS,
  type PlanRecords,
  spanOf,
  type TokenBudget,
} from "@threadfold/core";
import { hostileTexts, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answers, calls, shapeOf, threadOf } from "../testing/fold-case.ts";
import { showUnread, textEnds, unreadBodies } from "./show-unread.ts";

/** A letter outside of ASCII is a token, of the others four make one. */
const countTokens = (text: string): number => {
  const wide = text.match(/[^\p{ASCII}]/gu)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / 4);
};

const texts = fc
  .tuple(
    fc.array(fc.oneof(hostileTexts, fc.constantFrom("日本語\n", "🚀🚀", "a line of a log\n", "x".repeat(300))), {
      minLength: 1,
    }),
    fc.integer({ min: 1, max: 60 }),
  )
  .map(([pieces, times]) => pieces.join("").repeat(times));

describe("textEnds", () => {
  it("keeps a head and a tail within the room, splits no character, and counts the tokens left out", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 2_000 }), (text, tokens) => {
        const whole = countTokens(text);
        fc.pre(whole > tokens);
        const ends = textEnds(text, whole, tokens, countTokens);
        if (ends === null) {
          expect(tokens).toBeLessThan(40);
          return;
        }
        const head = text.slice(0, ends.headCharacters);
        const tail = text.slice(text.length - ends.tailCharacters);
        expect(ends.headCharacters + ends.tailCharacters).toBeLessThan(text.length);
        expect(countTokens(head) + countTokens(tail)).toBeLessThanOrEqual(tokens);
        expect(ends.leftOutTokens).toBe(Math.max(1, whole - countTokens(head) - countTokens(tail)));
        if (text.isWellFormed()) expect([head.isWellFormed(), tail.isWellFormed()]).toEqual([true, true]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["lines", "INFO request served\n".repeat(20_000)],
    ["one line", "x".repeat(400_000)],
    ["wide letters", "日".repeat(400_000)],
    ["pairs", "🚀".repeat(200_000)],
    ["a dense end", "x".repeat(200_000) + "日".repeat(200_000)],
  ])("uses nearly all of the room, two thirds of it for the head: %s", (_, text) => {
    const ends = textEnds(text, countTokens(text), 3_000, countTokens);
    const head = countTokens(text.slice(0, ends?.headCharacters));
    const tail = countTokens(text.slice(text.length - (ends?.tailCharacters ?? 0)));
    expect(head).toBeGreaterThan(1_850);
    expect(head + tail).toBeGreaterThan(2_800);
    expect(tail).toBeGreaterThan(850);
  });

  it("cuts head and tail at line ends", () => {
    const line = "INFO request served in 12 ms";
    const text = `${line}\n`.repeat(5_000);
    const ends = textEnds(text, countTokens(text), 1_000, countTokens);
    expect(text.slice(0, ends?.headCharacters).endsWith(line)).toBe(true);
    expect(text.slice(text.length - (ends?.tailCharacters ?? 0)).startsWith(line)).toBe(true);
  });

  it("keeps the whole text of a body whose pictures take the room", () => {
    expect(textEnds("look:\n[image]", 1_500, 300, countTokens)).toEqual({
      headCharacters: 13,
      tailCharacters: 0,
      leftOutTokens: 1_496,
    });
  });

  it("counts fewer than 60,000 characters of a text of two million", () => {
    for (const text of ["x".repeat(2_000_000), "日".repeat(2_000_000), "a\n".repeat(1_000_000)]) {
      let read = 0;
      const counting = (piece: string): number => {
        read += piece.length;
        return countTokens(piece);
      };
      textEnds(text, 1_000_000, 1_000, counting);
      expect(read).toBeLessThan(60_000);
    }
  });
});

describe("showUnread", () => {
  const thread = threadOf(
    ...["a", "b", "c"].flatMap((name, at) => [
      calls(`call-${name}`, name, "bash"),
      answers(name, name, "bash", `${name} says so\n`.repeat([40, 400, 1_200][at] as number)),
    ]),
  );
  const shape = shapeOf(thread);
  const ordinals = [2, 4, 6];
  const sizes = ordinals.map((at) => shape.header(at).shares.toolResult);
  const cleared = (id: string, fields: Partial<ClearRecord> = {}): ClearRecord => ({
    ...{
      action: "clear",
      span: spanOf([thread.message(asMessageId(id)) as Message]),
      strategy: "clear",
      reason: "unread",
    },
    ...{ sincePlanVersion: 1, originalTokens: 9, targets: ["tool-result"], preservedFields: {}, ...fields },
  });
  const records: PlanRecords = groupRecords(["a", "b", "c"].map((id) => cleared(id)));
  const keptOf = (shown: PlanRecords) =>
    Object.fromEntries(shown.clearings.map(({ span, keep }) => [span.messageIds[0], keep]));
  const REST = 500;
  /** What a request takes: the rest, those that stand there whole, and the ends of the others. */
  const measure = async (shown: PlanRecords): Promise<number> => {
    const kept = keptOf(shown);
    return ["a", "b", "c"].reduce((sum, id, at) => {
      if (!(id in kept)) return sum + (sizes[at] as number);
      const { headCharacters = 0, tailCharacters = 0 } = kept[id] ?? {};
      return sum + Math.ceil((headCharacters + tailCharacters) / 4);
    }, REST);
  };
  const room = (softLimit: number, limitTokens = softLimit) => ({ softLimit, limitTokens }) as TokenBudget;
  const bodies = (held: PlanRecords = records) => unreadBodies(ordinals, held, thread, shape);
  const show = async (budget: TokenBudget) => {
    const shown = await showUnread(records, bodies(), budget, countTokens, measure);
    return { ...shown, taken: await measure(shown.records), kept: keptOf(shown.records) };
  };

  it("finds the bodies that a record clears or externalizes in place", () => {
    expect(bodies().map(({ id, tokens }) => [id, tokens])).toEqual(["a", "b", "c"].map((id, at) => [id, sizes[at]]));
    const others = groupRecords([
      cleared("a", { targets: ["tool-input"] }),
      cleared("b"),
      { ...cleared("c"), action: "drop", keywords: [] } as unknown as ClearRecord,
    ]);
    expect(bodies(others).map(({ id }) => id)).toEqual(["b"]);
    const two = cleared("a", { span: spanOf([...thread.messages].slice(2, 5)) });
    expect(bodies(groupRecords([two]))).toEqual([]);
    expect(bodies(NO_RECORDS)).toEqual([]);
    const stored = { ...cleared("a"), action: "externalize", form: "body", artifactId: "x", rehydrateHint: "" };
    expect(bodies({ ...NO_RECORDS, externalizations: [stored as never] }).map(({ id }) => id)).toEqual(["a"]);
    expect(bodies({ ...NO_RECORDS, externalizations: [{ ...stored, form: "span" } as never] })).toEqual([]);
  });

  it("fills the room below the soft threshold: small results whole, the others in equal shares", async () => {
    const { taken, kept, enough, restTokens } = await show(room(3_500));
    expect([enough, restTokens]).toEqual([true, REST]);
    expect(taken).toBeLessThanOrEqual(3_500);
    expect(taken).toBeGreaterThan(3_500 - 0.05 * 3_000);
    expect(Object.keys(kept)).toEqual(["c"]);
    const tight = await show(room(1_700));
    expect(Object.keys(tight.kept)).toEqual(["b", "c"]);
    const [b, c] = ["b", "c"].map(
      (id) => (tight.kept[id]?.headCharacters ?? 0) + (tight.kept[id]?.tailCharacters ?? 0),
    );
    expect(Math.abs((b ?? 0) - (c ?? 0))).toBeLessThan(0.2 * (c ?? 0));
    expect((await show(room(10_000))).records).toEqual(NO_RECORDS);
  });

  it("exceeds the soft threshold if it leaves too little, but never the limit", async () => {
    const pressed = await show(room(REST + 50, 2_000));
    expect(pressed.taken).toBeGreaterThan(1_900);
    expect(pressed.taken).toBeLessThanOrEqual(2_000);
    expect(pressed.enough).toBe(true);
    const none = await show(room(REST + 50, REST));
    expect([none.records, none.enough, none.restTokens]).toEqual([records, false, REST]);
    // Enough is a quarter of the room, where that is less than three hundred tokens for each.
    expect((await show(room(600, REST + 149))).enough).toBe(false);
    expect((await show(room(600, REST + 150))).enough).toBe(true);
  });

  it("shows only the first results if equal shares would be too small", async () => {
    const { kept, taken } = await show(room(REST + 110));
    expect(taken).toBeLessThanOrEqual(REST + 110);
    expect(kept).toEqual({ b: undefined, c: undefined });
    expect((await show(room(REST + 99))).kept["a"]).toMatchObject({ headCharacters: expect.any(Number) });
  });

  it("returns the records unchanged without unread results", async () => {
    const shown = await showUnread(records, [], room(100), countTokens, measure);
    expect(shown).toEqual({ records, restTokens: REST, enough: true });
  });

  it("stays within the limit whatever the rendering adds to the count", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 520, max: 6_000 }),
        fc.double({ min: 0.7, max: 1.5, noNaN: true }),
        async (limit, factor) => {
          const rendered = async (shown: PlanRecords) => REST + Math.round(((await measure(shown)) - REST) * factor);
          let measured = 0;
          const shown = await showUnread(
            records,
            bodies(),
            room(limit),
            countTokens,
            (of) => (measured++, rendered(of)),
          );
          const taken = await rendered(shown.records);
          expect(taken).toBeLessThanOrEqual(limit);
          expect(measured).toBeLessThanOrEqual(6);
          if (limit >= 1_000 && shown.records.clearings.length > 0)
            expect(taken - REST).toBeGreaterThan(0.85 * (limit - REST));
        },
      ),
      // All of them would fit by what was counted, and do not by what a rendering adds.
      { examples: [[5_005, 1.11]], ...runs(60) },
    );
  });
});
