import type { MessageInput } from "@threadfold/core";
import { assistant, message } from "@threadfold/core/laws";
import { anthropicMessages } from "@threadfold/renderer";
import { ladderPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import type { PreparedRequest } from "../host/prepared-request.ts";
import { callOf, openSession, resultOf } from "../testing/agent-work.ts";

const tools = [{ name: "bash", inputSchema: { type: "object" } }];

const thoughtful = (index: number, text?: string): MessageInput => {
  const { parts, ...call } = callOf(index);
  const thought = { type: "reasoning", text: "Hm.", provider: "anthropic", signature: `c2ln${index}` } as const;
  return { ...call, parts: [thought, ...(text === undefined ? [] : [{ type: "text", text } as const]), ...parts] };
};

interface Turn {
  readonly role: string;
  readonly content: readonly { readonly type: string }[];
}

const turnsOf = ({ payload }: PreparedRequest) => payload["messages"] as unknown as readonly Turn[];

/** What a provider compares: the turns before the newest thinking, against those of the request that it answered. */
function expectBound(request: PreparedRequest, answered: PreparedRequest): void {
  const turns = turnsOf(request);
  const thought = turns.findLastIndex(({ content }) => content.some(({ type }) => type === "thinking"));
  expect(turns[thought]?.content[0]?.type).toBe("thinking");
  expect(turns.slice(0, thought)).toEqual(turnsOf(answered));
}

describe("thinking that is bound to its prefix", () => {
  it.each(["claude-opus-5-5", "claude-sonnet-4-5"])(
    "W12 W13 bound thinking stays valid after an answer that was cut off: %s",
    async (model) => {
      const host = { thinking: { type: model === "claude-sonnet-4-5" ? "enabled" : "adaptive" } };
      const session = await openSession({ format: anthropicMessages, model, frame: { system: [], tools, host } });
      await session.append([message("u0", "user", "Build it.")]);
      await session.prepare();
      await session.complete({ messages: [assistant("first", "I begin with")], stopReason: "max-output" });
      const continued = await session.prepare();
      await session.complete({ messages: [thoughtful(0)] });
      await session.append([resultOf(0, 10)]);
      const next = await session.prepare();
      expect(next.violations).toEqual([]);
      expect(next.warnings.map(({ kind }) => kind)).toEqual(["turn-opened"]);
      expectBound(next, continued);
      await session.complete({ messages: [thoughtful(1)] });
      await session.append([resultOf(1, 10)]);
      expectBound(await session.prepare(), next);
      expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
    },
  );

  it.each([
    { model: "claude-opus-5-5", isShown: false },
    { model: "claude-opus-4-5", isShown: true },
  ])("keeps content from being brought back for one request alone: $model", async ({ model, isShown }) => {
    const config = { maxInputTokens: 8_000, costModelEnabled: false };
    const session = await openSession({
      format: anthropicMessages,
      preset: ladderPreset,
      model,
      config,
      frame: { system: [], tools },
    });
    await session.append([message("u0", "user", "Build it.")]);
    for (let step = 0; step < 6; step++) await session.append([thoughtful(step), resultOf(step, 1_500)]);
    await session.prepare();
    const { artifactId = "none" } = session.plan.externalizations[0] ?? {};
    await session.append([thoughtful(6, `I need ${artifactId} again.`), resultOf(6, 10)]);
    const request = await session.prepare();
    expect(request.rehydrated).toEqual(isShown ? [artifactId] : []);
    await session.append([thoughtful(7), resultOf(7, 10)]);
    if (!isShown) expectBound(await session.prepare(), request);
  });
});
