import { type ChatRequest, type ToolDefinition, toChatMessage } from "@threadfold/core";
import { agentThreads, hostileTexts, jsonValues } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calibratedTokenizer } from "./calibration.ts";
import { loadTokenizer, TOKENIZER_IDS } from "./load-tokenizer.ts";
import { tokenizerLaws } from "./tokenizer-laws.ts";

const tools: fc.Arbitrary<ToolDefinition> = fc.record({
  name: fc.constantFrom("read", "write", "<|endoftext|>"),
  description: hostileTexts.map((text) => text.slice(0, 200)),
  inputSchema: jsonValues.map((value) => ({ type: "object", default: value })),
});

const requests: fc.Arbitrary<ChatRequest> = fc
  .record({
    thread: agentThreads({ malformed: true, maxMessages: 8 }),
    system: fc.array(
      hostileTexts.map((text) => text.slice(0, 400)),
      { maxLength: 2 },
    ),
    tools: fc.array(tools, { maxLength: 2 }),
  })
  .map(({ thread, ...rest }) => ({ ...rest, messages: [...thread.messages].map(toChatMessage) }));

describe.each(TOKENIZER_IDS)("%s", async (id) => {
  const tokenizer = await loadTokenizer(id);
  const runs = id === "heuristic" ? 300 : 12;
  for (const law of tokenizerLaws) {
    it(law.name, () => {
      fc.assert(
        fc.property(requests, (request) => void expect(law.broken(tokenizer, request)).toBeNull()),
        { numRuns: runs },
      );
    });
  }
});

describe("a calibrated counter", async () => {
  const tokenizer = calibratedTokenizer(
    await loadTokenizer("heuristic"),
    { m: { factor: 0.57, observations: 3 } },
    "m",
  );
  for (const law of tokenizerLaws) {
    it(law.name, () => {
      fc.assert(
        fc.property(requests, (request) => void expect(law.broken(tokenizer, request)).toBeNull()),
        { numRuns: 100 },
      );
    });
  }
});
