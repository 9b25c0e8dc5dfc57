import { asMessageId, finishSteps } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Candidate, ranked } from "../collectors/span-collector.ts";
import { allotments, ROOM_SECTIONS, type RoomSection } from "./room.ts";

const demands: fc.Arbitrary<Record<RoomSection, number>> = fc.record(
  Object.fromEntries(ROOM_SECTIONS.map((section) => [section, fc.nat(5_000)])) as Record<
    RoomSection,
    fc.Arbitrary<number>
  >,
);

describe("allotments", () => {
  it("law: no section gets more than it has to say, all together no more than there is, and none starves", () => {
    fc.assert(
      fc.property(fc.nat(20_000), demands, (room, wanted) => {
        const { sections, places } = allotments(room, wanted);
        const given = ROOM_SECTIONS.map((section) => sections[section]);
        for (const section of ROOM_SECTIONS) {
          expect(sections[section]).toBeLessThanOrEqual(wanted[section] + 1e-6);
          expect(sections[section]).toBeGreaterThanOrEqual(0);
          if (wanted[section] > 0 && room > 0) expect(sections[section]).toBeGreaterThan(0);
        }
        expect(given.reduce((sum, share) => sum + share, places)).toBeLessThanOrEqual(room + 1e-6);
      }),
      runs(300),
    );
  });

  it("law: what sections leave goes to what is where, so that the room is used", () => {
    fc.assert(
      fc.property(fc.nat(20_000), demands, (room, wanted) => {
        const { sections, places } = allotments(room, wanted);
        const given = ROOM_SECTIONS.reduce((sum, section) => sum + sections[section], 0);
        const all = ROOM_SECTIONS.reduce((sum, section) => sum + wanted[section], 0);
        if (all > room) expect(given + places).toBeCloseTo(room, 4);
        else expect(given).toBeLessThanOrEqual(all);
      }),
      runs(300),
    );
  });

  it("law: more room takes nothing from anyone", () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(5_000), demands, (room, more, wanted) => {
        const before = allotments(room, wanted);
        const after = allotments(room + more, wanted);
        for (const section of ROOM_SECTIONS)
          expect(after.sections[section]).toBeGreaterThanOrEqual(before.sections[section] - 1e-6);
      }),
      runs(300),
    );
  });
});

describe("candidates for the room", () => {
  const candidateOf = (worth: number, at: number): Candidate => ({
    ...{ section: "facts", worth },
    item: { text: `fact ${at}`, sources: [asMessageId(`m${at}`)] },
  });

  it("law: stand in the order of their worth, those with the same as they were found, however many there are", () => {
    const worths = fc.oneof(
      fc.array(fc.nat(5), { maxLength: 20 }),
      fc
        .tuple(fc.integer({ min: 1_000, max: 6_000 }), fc.integer({ min: 1, max: 97 }))
        .map(([length, spread]) => Array.from({ length }, (_, at) => (at * 31) % spread)),
    );
    fc.assert(
      fc.property(worths, (given) => {
        const candidates = given.map(candidateOf);
        const sorted = candidates
          .map((candidate, sequence) => ({ ...candidate, sequence }))
          .sort((one, other) => other.worth - one.worth);
        expect(finishSteps(ranked(candidates))).toEqual(sorted);
      }),
      runs(60),
    );
  });

  it("are compared a few thousand times in a step", () => {
    let compared = 0;
    const watched = Array.from({ length: 20_000 }, (_, at) => {
      const worth = { valueOf: () => ++compared && (at * 31) % 997 };
      return candidateOf(worth as unknown as number, at);
    });
    const counts: number[] = [];
    for (const _ of ranked(watched)) counts.push(compared);
    expect(compared).toBeGreaterThan(100_000);
    expect(Math.max(...counts.map((count, step) => count - (counts[step - 1] ?? 0)))).toBeLessThan(40_000);
  });
});
