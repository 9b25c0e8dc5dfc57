import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../laws/runs.ts";
import { agentThreads } from "../laws/thread-arbitrary.ts";
import type { AgentThread } from "./agent-thread.ts";

/** What a walk over all entries leaves of a thread when runs of its messages are hidden, each from one mark to the next. */
function walkedBesides(thread: AgentThread, places: readonly number[]) {
  const marks = [...new Set(places)].filter((place) => place < thread.length).sort((a, b) => a - b);
  const hidden = Array.from({ length: Math.floor(marks.length / 2) }, (_, index) => ({
    from: marks[2 * index] as number,
    to: marks[2 * index + 1] as number,
  }));
  const isHidden = (ordinal: number): boolean => hidden.some(({ from, to }) => from <= ordinal && ordinal <= to);
  const others = [...thread.entriesInMemory()].filter(
    ({ entry }) => entry.type !== "message" || !isHidden(entry.message.ordinal),
  );
  return { hidden, others };
}

it("P9: entriesBesides gives the same entries as a walk over all of them, at each length of a thread", () => {
  fc.assert(
    fc.property(agentThreads({ malformed: true }), fc.array(fc.nat(40), { maxLength: 6 }), (thread, places) => {
      for (const version of [thread.version, Math.floor(thread.version / 2), thread.version - 1]) {
        const cut = thread.atVersion(Math.max(0, version));
        const { hidden, others } = walkedBesides(cut, places);
        expect([...cut.entriesBesides(hidden)]).toEqual(others);
        expect([...cut.entriesBesides([])]).toEqual([...cut.entriesInMemory()]);
      }
    }),
    runs(100),
  );
});
