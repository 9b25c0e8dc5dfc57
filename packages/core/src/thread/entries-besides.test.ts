import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../laws/runs.ts";
import { agentThreads } from "../laws/thread-arbitrary.ts";

it("P9: the entries besides runs of messages are those that a walk over all of them finds", () => {
  fc.assert(
    fc.property(agentThreads({ malformed: true }), fc.array(fc.nat(40), { maxLength: 6 }), (thread, places) => {
      const marks = [...new Set(places)].filter((place) => place < thread.length).sort((a, b) => a - b);
      const hidden = Array.from({ length: Math.floor(marks.length / 2) }, (_, index) => ({
        from: marks[2 * index] as number,
        to: marks[2 * index + 1] as number,
      }));
      const isHidden = (ordinal: number): boolean => hidden.some(({ from, to }) => from <= ordinal && ordinal <= to);
      const others = [...thread.entriesInMemory()].filter(
        ({ entry }) => entry.type !== "message" || !isHidden(entry.message.ordinal),
      );
      expect([...thread.entriesBesides(hidden)]).toEqual(others);
      const cut = thread.atVersion(Math.floor(thread.version / 2));
      expect([...cut.entriesBesides([])]).toEqual([...cut.entriesInMemory()]);
    }),
    runs(100),
  );
});
