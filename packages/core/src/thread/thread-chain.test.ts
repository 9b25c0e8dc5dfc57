import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ThreadfoldError } from "../errors/threadfold-error.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { sha256 } from "../json/sha256.ts";
import { runs } from "../laws/runs.ts";
import { sampleMessage } from "../laws/samples.ts";
import { agentThreads } from "../laws/thread-arbitrary.ts";
import { asMessageId, asThreadId, asToolCallId } from "../model/ids.ts";
import { AgentThread } from "./agent-thread.ts";
import { entryDigest, nextThreadLink, restoreRun, serializeEntry, THREAD_CHAIN_START } from "./thread-chain.ts";

const writtenDown = (thread: AgentThread): readonly string[] =>
  [...thread.entries].map((entry) => canonicalJson(entry));

describe("a thread that is restored from its entries", () => {
  it("equals the thread that was written", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true }), (thread) => {
        const restored = AgentThread.restore(thread.id, writtenDown(thread), thread.digest);
        expect(restored.digest).toBe(thread.digest);
        expect([...restored.entries].map(entryDigest)).toEqual([...thread.entries].map(entryDigest));
        expect(restored.position).toEqual(thread.position);
        expect(restored.livePins).toEqual(thread.livePins);
        expect(restored.length).toBe(thread.length);
      }),
      { numRuns: 200 },
    );
  });

  it("is read in runs, each only between its digests before and after", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true }), fc.nat(), (thread, place) => {
        const from = place % (thread.version + 1);
        const [before, after] = [thread.atVersion(from).digest, thread.digest];
        const text = writtenDown(thread).slice(from);
        expect(restoreRun(text, before, after).map((entry) => canonicalJson(entry))).toEqual(text);
        const refused = expect.objectContaining({
          code: "STORE_CORRUPT",
          details: { entries: text.length, digest: before },
        });
        if (text.length > 0) expect(() => restoreRun(text, before, before)).toThrow(refused);
      }),
      { numRuns: 100 },
    );
  });

  it("P2 keeps its keys as written, whatever this process has read before", () => {
    JSON.parse('{"read before":[],"then\\\\":0}');
    const id = asThreadId("t");
    const input = { "read before": 1, "then\n": 2 };
    const thread = AgentThread.empty(id).append([
      {
        id: asMessageId("m"),
        role: "assistant",
        parts: [{ type: "tool-call", callId: asToolCallId("c"), toolName: "f", input }],
        createdAt: "2026-01-01T00:00:00.000Z",
      },
    ]);
    const restored = AgentThread.restore(id, writtenDown(thread), thread.digest);
    expect(restored.messageAt(0)?.parts).toEqual(thread.messageAt(0)?.parts);
  });

  it("continues like the original thread", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true }), fc.nat(), (thread, at) => {
        const early = thread.atVersion(thread.version === 0 ? 0 : at % thread.version);
        const rest = thread.entriesBetween(early.version);
        const restored = AgentThread.restore(thread.id, writtenDown(early), early.digest).appendEntries(rest);
        expect(restored.digest).toBe(thread.digest);
      }),
      { numRuns: 200 },
    );
  });

  it("is refused if an entry was changed, removed or moved", () => {
    const arbitrary = agentThreads().filter((thread) => thread.version >= 2);
    fc.assert(
      fc.property(arbitrary, fc.nat(), fc.constantFrom("change", "leave out", "move"), (thread, at, how) => {
        const texts = [...writtenDown(thread)];
        const index = at % (texts.length - 1);
        const [text] = texts.splice(index, 1) as [string];
        if (how === "change") texts.splice(index, 0, text.replace("{", "{ "));
        if (how === "move") texts.splice(index + 1, 0, text);
        expect(() => AgentThread.restore(thread.id, texts, thread.digest)).toThrow(
          "do not produce the thread's digest",
        );
      }),
      { numRuns: 200 },
    );
  });

  it.each([undefined, null, "x", {}])("refuses %o instead of a list of entries", (entries) => {
    expect(() => AgentThread.restore(asThreadId("t"), entries as never, "digest")).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", details: { name: "serialized" } }),
    );
  });

  it("R28 is refused when a damaged row gives no text at all", () => {
    fc.assert(
      fc.property(
        agentThreads().filter((thread) => thread.version >= 1),
        fc.nat(),
        fc.constantFrom(null, undefined, 7, new Uint8Array(3)),
        (thread, at, damaged) => {
          const texts = writtenDown(thread).with(at % thread.version, damaged as never);
          const broken = () => AgentThread.restore(thread.id, texts, thread.digest);
          expect(broken).toThrow("do not produce the thread's digest");
        },
      ),
      { numRuns: 100 },
    );
  });

  it("has chain links that anyone can compute from the entries", () => {
    fc.assert(
      fc.property(agentThreads(), (thread) => {
        const link = writtenDown(thread).reduce(
          (before, text) => nextThreadLink(before, sha256(text)),
          THREAD_CHAIN_START,
        );
        expect(link).toBe(thread.digest);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a run of entries that was changed", () => {
  it("is refused with the number of entries and the expected digest", () => {
    const thread = AgentThread.empty(asThreadId("t")).append([sampleMessage("a"), sampleMessage("b")]);
    const texts = writtenDown(thread);
    const refusal = (serialized: readonly string[], after = thread.digest) => {
      try {
        return restoreRun(serialized, THREAD_CHAIN_START, after);
      } catch (error) {
        const { code, message, details } = error as ThreadfoldError;
        return { code, message, details };
      }
    };
    expect(refusal(texts)).toEqual(thread.entriesBetween(0));
    expect(refusal([], THREAD_CHAIN_START)).toEqual([]);
    for (const broken of [
      texts.slice(1),
      [...texts].reverse(),
      [texts[0] as string, "{}"],
      [texts[0] as string, 1 as never],
    ])
      expect(refusal(broken)).toEqual({
        code: "STORE_CORRUPT",
        message: `The ${broken.length} stored entries do not produce the thread's digest.`,
        details: { entries: broken.length, digest: thread.digest },
      });
  });
});

describe("a serialized entry", () => {
  it("is its canonical JSON, however it is made", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true }), (thread) => {
        for (const entry of thread.entries) {
          expect(serializeEntry(entry)).toEqual({ body: canonicalJson(entry), digest: entryDigest(entry) });
          expect(entryDigest(entry)).toBe(sha256(canonicalJson(entry)));
        }
      }),
      runs(100),
    );
  });

  it("is canonical even for keys that JavaScript reorders", () => {
    const indices = fc.dictionary(fc.constantFrom("10", "9", "-1", "01", "a", "", "__proto__", "2"), fc.jsonValue());
    fc.assert(
      fc.property(fc.oneof(indices, fc.jsonValue(), fc.record({ deep: indices })), (input) => {
        const message = {
          id: "m" as never,
          role: "assistant" as const,
          createdAt: "2025-01-01T00:00:00.000Z",
          parts: [{ type: "tool-call" as const, callId: "c" as never, toolName: "t", input: input as never }],
        };
        const [entry] = AgentThread.empty("t" as never)
          .append([message])
          .entriesBetween(0);
        expect(serializeEntry(entry as never).body).toBe(canonicalJson(entry));
      }),
      runs(300),
    );
  });
});
