import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freezeDeep } from "../json/json-value.ts";
import { artifactIds } from "../laws/plan-record-arbitrary.ts";
import { jsonObjects, withTextReplaced } from "../laws/text-arbitrary.ts";
import { asThreadId } from "../model/ids.ts";
import {
  checkpointNote,
  firstBrokenEntry,
  JOURNAL_START,
  type JournalEntry,
  type JournalRecord,
  nextJournalEntry,
} from "./journal.ts";

const digests = fc.nat().map((value) => value.toString(16).padStart(64, "0"));
const records: fc.Arbitrary<JournalRecord> = fc.oneof(
  fc.record({ type: fc.constant("entries-appended" as const), threadVersion: fc.nat(), threadDigest: digests }),
  fc.record({
    type: fc.constant("plan-committed" as const),
    planVersion: fc.nat(),
    planId: digests,
    diffDigest: digests,
  }),
  fc.record({
    type: fc.constant("usage-reported" as const),
    requestSequence: fc.nat(),
    usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }),
  }),
  fc.record({
    type: fc.constant("request-refused" as const),
    outcome: fc.constantFrom("infeasible" as const, "vetoed" as const),
    threadVersion: fc.nat(),
    planVersion: fc.nat(),
    tokens: fc.nat(),
    maxInputTokens: fc.nat(),
    outputReserveTokens: fc.nat(),
  }),
  fc.record({
    type: fc.constant("artifact-read" as const),
    artifactId: artifactIds,
    requesterId: fc.constantFrom("agent", "用户"),
    automatic: fc.boolean(),
  }),
  fc.record({
    type: fc.constant("artifact-denied" as const),
    artifactId: artifactIds,
    requesterId: fc.constantFrom("agent", "用户"),
  }),
  fc.record({
    type: fc.constant("checkpoint-made" as const),
    checkpoint: fc.record({
      threadId: fc.constant(asThreadId("t")),
      size: fc.nat(),
      rootHash: digests,
      at: fc.constant("2025-01-01T00:00:00.000Z"),
      threadVersion: fc.nat(),
      threadDigest: digests,
      planVersion: fc.nat(),
    }),
  }),
  fc.record({
    type: fc.constant("thread-copied" as const),
    to: fc.constantFrom(asThreadId("copy"), asThreadId("用户")),
    as: fc.constantFrom("fork" as const, "handoff" as const),
  }),
  fc.record({
    type: fc.constant("thread-erased" as const),
    actor: fc.constantFrom("agent", "用户"),
    reason: fc.constantFrom("user-request", "ttl"),
    entries: fc.nat(),
    plans: fc.nat(),
    artifacts: fc.nat(),
    keyShredded: fc.boolean(),
  }),
  fc.record({
    type: fc.constant("request-rendered" as const),
    threadVersion: fc.nat(),
    planVersion: fc.nat(),
    renderVersion: fc.constant("v1"),
    format: fc.constantFrom("anthropic", "openai-chat"),
    tokenizer: fc.constant("heuristic"),
    options: jsonObjects,
    frame: artifactIds,
    rehydrated: fc.array(
      fc.record({ artifactId: artifactIds, content: artifactIds, tokens: fc.nat(), truncated: fc.boolean() }),
      { maxLength: 2 },
    ),
    payloadDigest: digests,
    tokens: fc.nat(),
  }),
);

const threadId = asThreadId("t");
const chainOf = (list: readonly JournalRecord[]): readonly JournalEntry[] => {
  const entries: JournalEntry[] = [];
  for (const record of list)
    entries.push(
      freezeDeep(
        nextJournalEntry(entries.at(-1) ?? null, threadId, record, `2025-01-01T00:00:0${entries.length % 10}.000Z`),
      ),
    );
  return entries;
};
const journals = fc.array(records, { minLength: 2, maxLength: 8 }).map(chainOf);

describe("the hash chain of a journal", () => {
  it("is intact for every prefix of an unchanged journal", () => {
    fc.assert(
      fc.property(journals, fc.nat(), (entries, pick) => {
        expect(firstBrokenEntry(entries)).toBeNull();
        expect(firstBrokenEntry(entries.slice(0, pick % (entries.length + 1)))).toBeNull();
        expect(firstBrokenEntry(JSON.parse(JSON.stringify(entries)) as JournalEntry[])).toBeNull();
      }),
      { numRuns: 100 },
    );
  });

  it("numbers entries from 1 and starts at a fixed hash", () => {
    const [first, second] = chainOf([
      { type: "entries-appended", threadVersion: 1, threadDigest: "a" },
      { type: "entries-appended", threadVersion: 2, threadDigest: "b" },
    ]);
    expect([first?.sequence, first?.previousHash, second?.sequence, second?.previousHash]).toEqual([
      1,
      JOURNAL_START,
      2,
      first?.hash,
    ]);
  });

  it("names the entry in which a text was changed", () => {
    fc.assert(
      fc.property(
        journals,
        fc.nat(),
        fc.nat(),
        fc.constantFrom("tampered", "", "torn \ud800"),
        (entries, which, leaf, text) => {
          const at = which % entries.length;
          const broken = entries.map((entry, index) =>
            index === at ? (withTextReplaced(entry, leaf, text) as JournalEntry) : entry,
          );
          fc.pre(JSON.stringify(broken) !== JSON.stringify(entries));
          expect(firstBrokenEntry(broken)?.sequence).toBe(at + 1);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("names the entry in which a figure was changed, even if its own hash was recomputed", () => {
    const [one, two, three] = chainOf(
      [1, 2, 3].map((threadVersion) => ({ type: "entries-appended", threadVersion, threadDigest: "d" })),
    ) as [JournalEntry, JournalEntry, JournalEntry];
    const record: JournalRecord = { type: "entries-appended", threadVersion: 99, threadDigest: "d" };
    expect(firstBrokenEntry([one, { ...two, record }, three])).toEqual({
      sequence: 2,
      reason: "its content does not match its hash",
    });
    expect(firstBrokenEntry([one, nextJournalEntry(one, threadId, record, two.at), three])).toEqual({
      sequence: 3,
      reason: "it does not link to the previous entry",
    });
  });

  it("states why an entry does not follow the one before", () => {
    const [one, two, three] = chainOf(
      [1, 2, 3].map((threadVersion) => ({ type: "entries-appended", threadVersion, threadDigest: "d" })),
    ) as [JournalEntry, JournalEntry, JournalEntry];
    const missing = "an entry is missing or out of order";
    expect(firstBrokenEntry([one, three])).toEqual({ sequence: 2, reason: missing });
    expect(firstBrokenEntry([two])).toEqual({ sequence: 1, reason: missing });
    expect(firstBrokenEntry([one, { ...two, sequence: 3 }])).toEqual({ sequence: 2, reason: missing });
    const torn = { ...two, record: { ...two.record, threadDigest: "\ud800" } as JournalRecord };
    expect(firstBrokenEntry([one, torn, three])).toEqual({
      sequence: 2,
      reason: "it contains a value that cannot be hashed",
    });
    expect(firstBrokenEntry([])).toBeNull();
  });

  it("names the first position where an entry was removed, duplicated or moved", () => {
    fc.assert(
      fc.property(journals, fc.nat(), fc.constantFrom("left out", "twice", "moved"), (entries, which, how) => {
        const at = which % (entries.length - 1);
        const broken = [...entries];
        const [entry] = broken.splice(at, 1) as [JournalEntry];
        if (how === "twice") broken.splice(at, 0, entry, entry);
        if (how === "moved") broken.splice(at + 1, 0, entry);
        expect(firstBrokenEntry(broken)?.sequence).toBe(how === "twice" ? at + 2 : at + 1);
      }),
      { numRuns: 200 },
    );
  });

  it("breaks where entries of another journal are attached", () => {
    fc.assert(
      fc.property(journals, journals, (mine, other) => {
        fc.pre(mine[0]?.hash !== other[0]?.hash);
        expect(firstBrokenEntry([mine[0] as JournalEntry, ...other.slice(1)])?.sequence).toBe(2);
      }),
      { numRuns: 100 },
    );
  });
});

describe("the note of a checkpoint", () => {
  it("lists its fields one per line, so that anyone can sign and verify it", () => {
    const checkpoint = {
      ...{ threadId: asThreadId('a "thread"'), size: 3, rootHash: "ab", at: "2026-01-01T00:00:00.000Z" },
      ...{ threadVersion: 5, threadDigest: "cd", planVersion: 0 },
    };
    expect(checkpointNote(checkpoint)).toBe(
      [
        ...["threadfold-checkpoint-v1", '"a \\"thread\\""', "3", "ab", '"2026-01-01T00:00:00.000Z"', "5", "cd", "0"],
        "",
      ].join("\n"),
    );
  });
});
