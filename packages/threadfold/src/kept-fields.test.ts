import type { SummaryChange } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import {
  asMessageId,
  asThreadId,
  asToolCallId,
  ContextSession,
  createMemoryStore,
  ladderPreset,
  type MessageInput,
  presetByName,
  type SessionOptions,
  type Summarizer,
} from "./index.ts";

const createdAt = "2026-01-01T00:00:00.000Z";
const ORDERS = 12;

/** A turn in which an order is looked up: its customer is declared by the tool, its number by the policy alone. */
function order(index: number): readonly MessageInput[] {
  const callId = asToolCallId(`call_${index}`);
  const body = { rows: "row of the table ".repeat(60), order: { lines: [{ sku: `SKU-${index}` }] } };
  const result = {
    ...({ toolName: "get_order", callId, outcome: "success" } as const),
    keyFields: { customer: `CUST-${index}` },
    content: { type: "text", text: JSON.stringify(body, null, 2) },
  } as const;
  return [
    {
      ...{ id: asMessageId(`u${index}`), role: "user", createdAt },
      parts: [{ type: "text", text: `Look at order ${index}.` }],
    },
    {
      ...{ id: asMessageId(`a${index}`), role: "assistant", createdAt },
      parts: [{ type: "tool-call", callId, toolName: "get_order", input: { order: index } }],
    },
    { id: asMessageId(`t${index}`), role: "tool", createdAt, parts: [{ type: "tool-result", result }] },
    {
      ...{ id: asMessageId(`b${index}`), role: "assistant", createdAt },
      parts: [{ type: "text", text: `Order ${index} is fine. ${"All rows are there. ".repeat(20)}` }],
    },
  ];
}

/** A summarizer of the host's own that knows nothing of orders and takes out whatever was there. */
const careless: Summarizer = {
  id: "careless@1",
  summarize: async ({ previous, span }) => ({
    changes: [
      ...(previous?.toolOutcomes ?? []).map(
        ({ id }): SummaryChange => ({ op: "resolve", section: "toolOutcomes", itemId: id, reason: "old" }),
      ),
      { op: "add", section: "facts", item: { text: "Orders were looked at.", sources: span.messageIds.slice(0, 1) } },
    ],
  }),
};

describe("what a tool declared", () => {
  it.each<readonly [string, Partial<SessionOptions>]>([
    ["without a model, preset threadfold", {}],
    ["with a summarizer of the host's own", { summarizer: careless }],
    ["with preset ladder", { preset: ladderPreset }],
    ["where old turns are dropped", { preset: presetByName("spring-session-sliding") }],
  ])("stands in every later prompt, %s", async (_name, options) => {
    const session = await ContextSession.open({
      ...{ threadId: asThreadId("orders"), store: createMemoryStore(), ...options },
      config: {
        maxInputTokens: 4_000,
        toolDurabilityOverrides: {
          get_order: { durability: "ephemeral", mustPreserveFields: ["order.lines.*.sku"], replayCost: "cheap" },
        },
      },
    });
    for (let index = 0; index < ORDERS; index++) {
      await session.append(order(index));
      await session.compact({ force: index % 3 === 2 });
    }
    await session.append([
      { id: asMessageId("last"), role: "user", createdAt, parts: [{ type: "text", text: "And now?" }] },
    ]);
    const { payloadText, violations } = await session.prepare();
    expect(violations).toEqual([]);
    expect(session.plan.version).toBeGreaterThan(1);
    for (let index = 0; index < ORDERS; index++) expect(payloadText).toContain(`SKU-${index}`);
    const folded = Array.from({ length: ORDERS }, (_, index) => index).filter(
      (index) => !payloadText.includes(`CUST-${index}`),
    );
    // What is shown whole shows its body; the fields beside it come in when the body goes.
    for (const index of folded) expect(payloadText).toContain(`call_${index}`);
    expect(folded.length).toBeLessThan(ORDERS / 2);
  });
});
