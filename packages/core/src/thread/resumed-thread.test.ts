import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenLedger } from "../budget/token-ledger.ts";
import { agentThreads, countingTokenizer, runs, threadEntryInputs } from "../laws/index.ts";
import { asMessageId, asPinId } from "../model/ids.ts";
import { AgentThread } from "./agent-thread.ts";

/** The thread as somebody resumes it who holds the pins and some of the messages of its first entries. */
function resumedAt(thread: AgentThread, version: number, keeps: (place: number) => boolean): AgentThread {
  const before = thread.atVersion(version);
  const held = thread
    .entriesBetween(0, version)
    .map((entry, index) => ({ version: index + 1, entry }))
    .filter(({ entry }, index) => entry.type !== "message" || keeps(index));
  const { length, position, digest } = before;
  return AgentThread.resume(thread.id, { version, length, position, digest, held }, thread.entriesBetween(version));
}

const resumptions = agentThreads({ malformed: true }).chain((thread) =>
  fc.record({
    thread: fc.constant(thread),
    version: fc.nat(thread.version),
    kept: fc.array(fc.boolean(), { minLength: thread.version, maxLength: thread.version }),
  }),
);

/** What is answered, or the code of the error. */
function answer(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

describe("P9 a resumed thread", () => {
  it("has the whole thread's version, digest and pins, and reports messages that are not loaded", () => {
    fc.assert(
      fc.property(resumptions, ({ thread, version, kept }) => {
        const resumed = resumedAt(thread, version, (place) => kept[place] === true);
        expect(resumed.version).toBe(thread.version);
        expect(resumed.length).toBe(thread.length);
        expect(resumed.digest).toBe(thread.digest);
        expect(resumed.position).toEqual(thread.position);
        expect(resumed.livePins).toEqual(thread.livePins);
        for (const { id, ordinal } of thread.messages) {
          const found = resumed.messageInMemory(id);
          if (found !== undefined) expect(found).toBe(thread.message(id));
          for (const ask of [() => resumed.message(id), () => resumed.messageAt(ordinal)])
            expect(answer(ask)).toEqual(found === undefined ? "HISTORY_NOT_LOADED" : thread.message(id));
        }
        const unknown = answer(() => resumed.message(asMessageId("not in any thread")));
        expect(unknown).toBe(resumed.isWhole ? undefined : "HISTORY_NOT_LOADED");
        const all = answer(() => [...resumed.messages]);
        expect(all).toEqual(resumed.isWhole ? [...thread.messages] : "HISTORY_NOT_LOADED");
      }),
      runs(150),
    );
  });

  it("grows and forks like the whole thread", () => {
    fc.assert(
      fc.property(
        resumptions,
        threadEntryInputs({ maxMessages: 6 }),
        fc.nat(),
        ({ thread, version, kept }, more, at) => {
          const resumed = resumedAt(thread, version, (place) => kept[place] === true);
          const added = more.map((entry) =>
            entry.type === "message"
              ? { ...entry, message: { ...entry.message, id: asMessageId(`more ${entry.message.id}`) } }
              : entry.type === "pin"
                ? { ...entry, pin: { ...entry.pin, id: asPinId(`more ${entry.pin.id}`) } }
                : { ...entry, pinId: asPinId(`more ${entry.pinId}`) },
          );
          const grown = resumed.appendEntries(added);
          const whole = thread.appendEntries(added);
          expect(grown.digest).toBe(whole.digest);
          expect(grown.entriesBetween(version)).toEqual(whole.entriesBetween(version));
          const place = version + (at % (whole.version - version + 1));
          for (const [a, b] of [
            [grown.atVersion(place), whole.atVersion(place)],
            [grown.atVersion(place).append([]), whole.atVersion(place)],
          ] as const) {
            expect([a.version, a.length, a.digest]).toEqual([b.version, b.length, b.digest]);
            expect(a.position).toEqual(b.position);
            expect(a.livePins).toEqual(b.livePins);
          }
          // Two values that grow from one are apart.
          const other = resumed.append([{ ...(message("other") as object) } as never]);
          expect(other.digest).toBe(thread.append([message("other") as never]).digest);
          expect(grown.digest).toBe(whole.digest);
        },
      ),
      runs(120),
    );
  });

  it("treats an unloaded message as new until it holds it, and as known afterwards", () => {
    const thread = AgentThread.empty("t" as never).append([message("a"), message("b"), message("c")] as never);
    const resumed = resumedAt(thread, 2, () => false);
    const again = [message("a")] as never;
    expect(resumed.append(again).version).toBe(4);
    const told = resumed.holding([{ version: 1, message: thread.messageAt(0) as never }]);
    expect(told.append(again)).toBe(told);
    expect(() => told.append([message("a", "something else")] as never)).toThrow(/different content/);
    expect(told.digest).toBe(thread.digest);
    expect(told.holding([{ version: 1, message: thread.messageAt(0) as never }])).toBe(told);
  });

  it("counts its loaded and new messages like the whole thread", () => {
    const thread = AgentThread.empty("t" as never).append([message("a"), message("b"), message("c")] as never);
    const empty = TokenLedger.empty(countingTokenizer(), () => "anchoring");
    const whole = empty.extend(thread.append([message("d")] as never));
    const resumed = resumedAt(thread, 2, (place) => place === 1);
    const ledger = empty.extend(resumed).extend(resumed.append([message("d")] as never));
    expect(ledger.length).toBe(4);
    expect(ledger.header(1)).toEqual(whole.header(1));
    expect(ledger.header(3)).toEqual(whole.header(3));
    expect(ledger.tokensBetween(3, 4)).toBe(whole.tokensBetween(3, 4));
    expect(answer(() => ledger.header(0))).toBe("HISTORY_NOT_LOADED");
    expect(answer(() => ledger.totalTokens)).toBe("HISTORY_NOT_LOADED");
  });
});

function message(id: string, text = `text of ${id}`): object {
  return { id: asMessageId(id), role: "user", createdAt: "2025-01-01T00:00:00.000Z", parts: [{ type: "text", text }] };
}
