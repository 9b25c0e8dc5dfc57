import type { JsonObject, MessageInput, Part } from "@threadfold/core";
import { assistant, call, message, result, tool } from "@threadfold/core/laws";
import { anthropicMessages, openaiResponses, type ProviderFormat } from "@threadfold/renderer";
import { describe, expect, it } from "vitest";
import { openSession } from "../testing/agent-work.ts";

const item = (provider: string, value: JsonObject): Part => ({ type: "opaque", provider, value });

/** Each search with its provider's format: OpenAI's is one item, Anthropic's a call and its result. */
const SEARCHES: readonly (readonly [name: string, ProviderFormat, (step: number) => readonly Part[]])[] = [
  [
    "OpenAI",
    openaiResponses,
    (step) => [
      item("openai", {
        ...{ type: "web_search_call", id: `ws_${step}`, status: "completed" },
        action: { type: "search", query: `q${step}` },
      }),
    ],
  ],
  [
    "Anthropic",
    anthropicMessages,
    (step) => [
      item("anthropic", {
        ...{ type: "server_tool_use", id: `srvtoolu_${step}`, name: "web_search" },
        input: { query: `q${step}` },
      }),
      item("anthropic", {
        ...{ type: "web_search_tool_result", tool_use_id: `srvtoolu_${step}` },
        content: [{ type: "web_search_result", url: `https://a.test/${step}`, title: "T", encrypted_content: "RQ==" }],
      }),
    ],
  ],
];

/** One step of research: a search at the provider, a finding, a call of the host's own, and its long result. */
const research = (step: number, search: readonly Part[]): readonly MessageInput[] => {
  const own = assistant(`a${step}`, call(`c${step}`, "fetch", { url: `https://x.test/${step}` }));
  const found: Part = { type: "text", text: `The cause is that operator ${step} pays ${step * 13} EUR.` };
  return [
    { ...own, parts: [...search, found, ...own.parts] },
    tool(`r${step}`, result(`c${step}`, `page ${step} ${"lorem ipsum dolor ".repeat(120)}`, { toolName: "fetch" })),
  ];
};

describe("messages with items of a provider's hosted tools", () => {
  it.each(SEARCHES)("are summarized like any other, so that a searching agent keeps its task: %s", async (...of) => {
    const [, format, search] = of;
    const session = await openSession({ format, config: { maxInputTokens: 8_000 } });
    await session.append([message("task", "user", "Research electric buses for Graz. My budget is 77 million EUR.")]);
    for (let step = 0; step < 60; step++) {
      await session.append(research(step, search(step)));
      const { tokens, violations } = await session.prepare();
      expect(tokens).toBeLessThanOrEqual(8_000);
      expect(violations).toEqual([]);
    }
    expect(session.plan.version).toBeGreaterThan(1);
    expect(session.plan.drops).toEqual([]);
    const { payloadText } = await session.prepare();
    expect(payloadText).toContain("My budget is 77 million EUR.");
    expect(payloadText).toContain("operator 20 pays 260 EUR");
    expect(payloadText).not.toContain('"q0"');
  });

  it("are not folded when they hold the provider's own compaction, which only the provider can read", async () => {
    const session = await openSession({ format: openaiResponses, config: { maxInputTokens: 8_000 } });
    const compacted = item("openai", { type: "compaction", id: "cmp_1", encrypted_content: "ZW5j" });
    await session.append([assistant("compacted", compacted), message("u", "user", "Go on.")]);
    for (let step = 0; step < 30; step++) {
      await session.append(research(step, []));
      await session.prepare();
    }
    const folded = session.plan.summarizations.flatMap(({ span }) => span.messageIds);
    expect(folded.length).toBeGreaterThan(0);
    expect(folded).not.toContain("compacted");
  });
});
