import type { JsonObject, MessageInput } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { formatById } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import type { RequestFrame } from "@threadfold/turn";
import { describe, expect, it } from "vitest";
import { openSession, work } from "../testing/agent-work.ts";

const compaction: JsonObject = { type: "compaction", content: "They planned it." };

const compacted: MessageInput = {
  ...message("a0", "assistant", "So."),
  parts: [
    { type: "opaque", provider: "anthropic", value: compaction },
    { type: "text", text: "So." },
  ],
};

interface Case {
  readonly rule: string;
  readonly format: string;
  readonly messages: readonly MessageInput[];
  /** Fields with which the request is refused, and with which it is not. */
  readonly refused: NonNullable<RequestFrame["host"]>;
  readonly taken: NonNullable<RequestFrame["host"]>;
}

const list = message("u0", "user", "List them.");
const cases: readonly Case[] = [
  {
    rule: "json-mode",
    format: "openai-chat",
    messages: [list],
    refused: { responseFormat: { type: "json_object" } },
    taken: { responseFormat: { type: "json_schema" } },
  },
  {
    rule: "json-mode",
    format: "openai-responses",
    messages: [list],
    refused: { responseFormat: { type: "json_object" } },
    taken: { responseFormat: { type: "text" } },
  },
  {
    rule: "beta-features",
    format: "anthropic-messages",
    messages: [list, compacted, message("u1", "user", "On.")],
    refused: { betas: [] },
    taken: { betas: ["compact-2026-01-12"] },
  },
  {
    rule: "beta-features",
    format: "anthropic-messages",
    messages: [list],
    refused: { betas: [], contextManagement: { edits: [{ type: "clear_tool_uses_20250919" }] } },
    taken: {
      betas: ["context-management-2025-06-27"],
      contextManagement: { edits: [{ type: "clear_thinking_20251015" }] },
    },
  },
];

describe("fields that the host puts into the request body", () => {
  it.each(cases)("are judged by $rule in $format, and the requests replay", async ({ format, ...one }) => {
    const session = await openSession({ store: createMemoryStore(), format: formatById(format) });
    await session.append([...one.messages]);
    for (const [host, rules] of [
      [one.refused, [one.rule]],
      [one.taken, []],
    ] as const) {
      const request = await session.prepare({ frame: { host } });
      expect(request.violations.map(({ rule }) => rule)).toEqual(rules);
    }
    expect((await session.replay()).map(({ equal }) => equal)).toEqual([true, true]);
  });

  it("do not keep a thread from folding when they break a rule anyway, and are still reported", async () => {
    const session = await openSession({
      format: formatById("openai-responses"),
      config: { maxInputTokens: 10_000 },
      frame: { host: { responseFormat: { type: "json_object" } } },
    });
    await session.append([message("u0", "user", "Build it."), ...work(0, 14, 900)]);
    const folded = await session.prepare();
    expect(folded.outcome?.type).toBe("committed");
    expect(folded.overBudget).toBe(false);
    expect(folded.violations.map(({ rule }) => rule)).toEqual(["json-mode"]);
    expect((await session.revert(0)).type).toBe("committed");
  });
});
