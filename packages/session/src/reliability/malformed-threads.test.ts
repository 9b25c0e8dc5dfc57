import { asMessageId, asThreadId, type JsonValue, type MessageInput, type Part } from "@threadfold/core";
import { call, messageInputs, patience, result, runs } from "@threadfold/core/laws";
import { FORMATS, formatById } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import { PRESETS, presetByName } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSession } from "../testing/agent-work.ts";

const createdAt = "2026-01-01T00:00:00.000Z";
const hosted = (value: JsonValue): Part => ({ type: "opaque", provider: "anthropic", value });
const searched = { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "x" } };
const hits = { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] };
const picture = { type: "image", source: { kind: "base64", mediaType: "image/png", data: "aGk=" } } as const;
const thought = { type: "reasoning", text: "Hm.", provider: "anthropic", signature: "c2ln" } as const;

/** What agents' logs hold besides: hosted calls that lost their partner, and one call id for two calls of a batch. */
const oddMessages: readonly (readonly (readonly [MessageInput["role"], ...Part[]])[])[] = [
  [["assistant", hosted(searched)]],
  [["assistant", hosted(hits)]],
  [["assistant", hosted(searched), hosted(hits), { type: "text", text: "Found." }]],
  [
    ["assistant", thought, call("twice"), call("twice")],
    ["tool", result("twice", "one")],
    ["tool", result("twice", "two")],
  ],
  [["assistant", thought]],
  [
    ["assistant", { type: "text", text: "cut" }],
    ["assistant", thought, call("after-cut")],
    ["tool", result("after-cut", "ok")],
  ],
  [
    ["assistant", call("odd")],
    ["tool", result("odd", "", { outcome: "failure", content: { type: "blocks", blocks: [picture] } })],
  ],
  [
    ["assistant", call("ref")],
    ["tool", result("ref", "", { content: { type: "json", value: [{ type: "tool_reference", tool_name: "gone" }] } })],
  ],
];

const extras = fc.array(fc.record({ at: fc.nat(30), odd: fc.constantFrom(...oddMessages) }), { maxLength: 3 });

/** A malformed transcript with odd messages among its own. */
const transcripts = fc
  .tuple(messageInputs({ malformed: true, maxMessages: 24 }), extras)
  .map(([messages, placed]) =>
    placed.reduce((all, { at, odd }, index) => all.toSpliced(at, 0, ...named(odd, index)), [...messages]),
  )
  .filter(({ length }) => length > 0);

const named = (odd: (typeof oddMessages)[number], index: number): readonly MessageInput[] =>
  odd.map(([role, ...parts], place) => ({ id: asMessageId(`odd-${index}-${place}`), role, parts, createdAt }));

const MODELS = [undefined, "claude-haiku-4-5", "claude-opus-5-5", "gpt-5.1", "gemini-3-pro", "gemini-2.5-pro"];

const cases = fc.record({
  messages: transcripts,
  format: fc.constantFrom(...FORMATS.map(({ id }) => id)),
  preset: fc.constantFrom(...PRESETS.map(({ name }) => name)),
  model: fc.constantFrom(...MODELS),
  maxInputTokens: fc.integer({ min: 400, max: 6_000 }),
  step: fc.integer({ min: 1, max: 12 }),
});

const frame = { system: ["You are an agent."], tools: [{ name: "read", inputSchema: { type: "object" } }] };

describe("malformed threads", () => {
  it("give legal requests: live, replayed and in a reopened session", {
    timeout: patience(60_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ messages, model, maxInputTokens, step, ...names }) => {
        const [format, preset] = [formatById(names.format), presetByName(names.preset)];
        const store = createMemoryStore();
        const options = {
          ...{ threadId: asThreadId("fuzzed"), store, format, preset, frame, config: { maxInputTokens } },
          ...(model !== undefined && { model }),
        };
        const session = await openSession({ ...options, onOverBudget: "send" });
        for (let from = 0; from < messages.length; from += step) {
          await session.append(messages.slice(from, from + step));
          const { violations, payload } = await session.prepare({ onOverBudget: "send" });
          expect(violations).toEqual([]);
          expect(format.check({ ...payload, ...(model !== undefined && { model }) })).toEqual([]);
        }
        const { payloadText } = await session.render();
        expect((await session.replay()).filter(({ equal }) => !equal)).toEqual([]);
        expect((await (await openSession(options)).render()).payloadText).toBe(payloadText);
      }),
      runs(40, 10_000),
    );
  });
});
