import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
