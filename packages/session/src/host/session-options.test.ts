import {
  asMessageId,
  asThreadId,
  asToolCallId,
  type ContextCompactionEvent,
  type MessageInput,
} from "@threadfold/core";
import { message, pinnedClock } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { clearStrategy, ladderPreset, presetByName, summarizeStrategy } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { replayThread } from "../replay/replay-thread.ts";

const threadId = asThreadId("options");
const createdAt = "2026-01-01T00:00:00.000Z";
const read = (id: string, characters = 6_000): readonly MessageInput[] => {
  const callId = asToolCallId(`call-${id}`);
  const result = {
    toolName: "read_file",
    callId,
    outcome: "success",
    durability: "replayable",
    determinism: { contentHash: "a".repeat(64) },
    content: { type: "text", text: `line of ${id}\n`.repeat(characters / 12) },
  } as const;
  const call = { type: "tool-call", callId, toolName: "read_file", input: { path: `src/${id}.ts` } } as const;
  return [
    { id: asMessageId(id), role: "assistant", createdAt, parts: [call] },
    { id: asMessageId(`${id}-result`), role: "tool", createdAt, parts: [{ type: "tool-result", result }] },
  ];
};
const reads = (...ids: readonly string[]) => ids.flatMap((id) => read(id));
type Options = Parameters<typeof ContextSession.open>[0];
const open = (options: Partial<Options> = {}) =>
  ContextSession.open({
    threadId,
    store: createMemoryStore(),
    preset: ladderPreset,
    config: { maxInputTokens: 8_000 },
    clock: pinnedClock(0),
    ...options,
  });

describe("the options of a session", () => {
  it("journal: false writes no record and renders the same bytes", async () => {
    const digests: string[] = [];
    for (const journal of [true, false]) {
      const store = createMemoryStore();
      const session = await open({ store, journal });
      await session.append([message("u", "user", "Read."), ...reads("a", "b", "c", "d", "e", "f")]);
      digests.push((await session.prepare()).digest);
      expect((await store.journal.read(threadId)).length > 0).toBe(journal);
    }
    expect(digests[0]).toBe(digests[1]);
  });

  it("determinismProbe: a replayable result is cleared only while its source is unchanged", async () => {
    const ladder = [clearStrategy, summarizeStrategy];
    const cleared = async (verdict: "matches" | "changed" | undefined) => {
      let probes = 0;
      const probe = async () => {
        probes++;
        return verdict ?? "unverifiable";
      };
      const session = await open({
        preset: { ...ladderPreset, ladder },
        ...(verdict !== undefined && { determinismProbe: { probe } }),
      });
      await session.append([message("u", "user", "Read."), ...reads("a", "b", "c", "d", "e", "f")]);
      await session.prepare();
      expect(probes > 0).toBe(verdict !== undefined);
      return session.plan.clearings.filter(({ targets }) => targets.includes("tool-result")).length;
    };
    expect(await cleared("matches")).toBeGreaterThan(0);
    expect(await cleared("changed")).toBe(0);
    expect(await cleared(undefined)).toBe(0);
  });

  it("model: reasoning signed by another model is left out with a warning, and the request replays", async () => {
    const store = createMemoryStore();
    const session = await open({ store, model: "claude-opus-4-5" });
    const signed = { type: "reasoning", text: "hm", provider: "anthropic", signature: "c2ln" } as const;
    const answer = message("a", "assistant", "Yes.");
    await session.append([
      message("u1", "user", "Is it?"),
      { ...answer, model: "claude-sonnet-4-5", parts: [signed, ...answer.parts] },
      message("u2", "user", "Sure?"),
    ]);
    const prepared = await session.prepare();
    expect(prepared.payloadText).not.toContain("c2ln");
    expect(prepared.warnings).toContainEqual(expect.objectContaining({ reason: "other-model" }));
    expect((await replayThread(store, threadId)).map(({ equal }) => equal)).toEqual([true]);
  });

  it("summarizer: S18 the third failure in a row is reported once, and the loop goes on", async () => {
    const events: ContextCompactionEvent[] = [];
    const summarizer = {
      id: "down@1",
      summarize: async () => {
        throw new Error("down");
      },
    };
    const session = await open({ summarizer, onEvent: (event) => events.push(event) });
    await session.append([message("u", "user", "Talk.")]);
    const speech = (round: number) =>
      ["a", "b", "c", "d"].flatMap((id) => [
        message(`${round}${id}`, "assistant", `word ${id} `.repeat(800)),
        message(`${round}${id}-next`, "user", "Go on."),
      ]);
    for (let round = 0; round < 5; round++) {
      await session.append(speech(round));
      expect((await session.compact({ force: true })).type).toBe("summarizer-failed-floor-used");
    }
    expect(events.filter(({ type }) => type === "summarizer_failing")).toEqual([
      expect.objectContaining({ failures: 3 }),
    ]);
  });

  it("preset spring-session-turns: archived turns do not fire the trigger again", async () => {
    const outcomes: string[] = [];
    const session = await open({ preset: presetByName("spring-session-turns"), config: { maxInputTokens: 100_000 } });
    for (let turn = 0; turn < 26; turn++) {
      await session.append([
        message(`u${turn}`, "user", `Question ${turn}?`),
        message(`a${turn}`, "assistant", "Answer."),
      ]);
      outcomes.push((await session.prepare()).outcome?.type ?? "none");
    }
    expect(outcomes.filter((type) => type === "committed")).toHaveLength(1);
    expect(outcomes.at(-1)).toBe("no-op");
  });
});
