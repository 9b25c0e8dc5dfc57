import { asThreadId, type MessageInput } from "@threadfold/core";
import { assistant, call, pinnedClock, result, tool, user } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { ladderPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { replayThread } from "../replay/replay-thread.ts";

const MAX_TOKENS = 10_000;
const threadId = asThreadId("loop");

const read = (id: string, characters: number): readonly MessageInput[] => [
  assistant(id, call(`call-${id}`, "web_search", { q: id })),
  tool(`${id}-result`, result(`call-${id}`, `line of ${id}\n`.repeat(characters / 12), { toolName: "web_search" })),
];

describe("repeated references to an artifact under pressure (seed 002, loop breaking)", () => {
  it("spec-77 spec-79 cause no fold and no log entry, fit the window, rest for the cooldown and replay", async () => {
    const store = createMemoryStore();
    const session = await ContextSession.open({
      threadId,
      store,
      preset: ladderPreset,
      config: { maxInputTokens: MAX_TOKENS, rehydrationMaxTokensPerArtifact: 1_500 },
      clock: pinnedClock(0),
    });
    await session.append([
      user("u", "Compare the sources."),
      ...["a", "b", "c", "d", "e"].flatMap((id) => read(id, 9_000)),
    ]);
    await session.prepare();
    const artifactId = session.plan.externalizations[0]?.artifactId ?? "none";
    expect(artifactId).toMatch(/^artifact_/);
    const { planId } = session.plan;

    const injected: boolean[] = [];
    for (let step = 0; step < 12; step++) {
      const [call, result] = read(`s${step}`, 24) as [MessageInput, MessageInput];
      const spoken = { type: "text" as const, text: `I still need ${artifactId}.` };
      await session.append([{ ...call, parts: [spoken, ...call.parts] }, result]);
      const prepared = await session.prepare();
      injected.push(prepared.rehydrated.length > 0);
      expect(prepared.tokens).toBeLessThanOrEqual(MAX_TOKENS);
      expect(prepared.violations).toEqual([]);
      expect(session.plan.planId).toBe(planId);
    }
    expect([...session.thread.messages]).toHaveLength(11 + 24);
    expect(injected).toContain(true);
    expect(injected).toContain(false);
    expect((await replayThread(store, threadId)).every(({ equal }) => equal)).toBe(true);
  });
});
