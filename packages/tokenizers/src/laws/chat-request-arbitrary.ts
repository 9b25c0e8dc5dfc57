import { type ChatRequest, type ToolDefinition, toChatMessage } from "@threadfold/core";
import { agentThreads, hostileTexts, jsonValues } from "@threadfold/core/laws";
import fc from "fast-check";

const tools: fc.Arbitrary<ToolDefinition> = fc.record({
  name: fc.constantFrom("read", "write", "<|endoftext|>"),
  description: hostileTexts.map((text) => text.slice(0, 200)),
  inputSchema: jsonValues.map((value) => ({ type: "object", default: value })),
});

/** Generates requests over odd and malformed threads, with hostile system texts and tools. */
export const chatRequests: fc.Arbitrary<ChatRequest> = fc
  .record({
    thread: agentThreads({ malformed: true, maxMessages: 8 }),
    system: fc.array(
      hostileTexts.map((text) => text.slice(0, 400)),
      { maxLength: 2 },
    ),
    tools: fc.array(tools, { maxLength: 2 }),
  })
  .map(({ thread, ...rest }) => ({ ...rest, messages: [...thread.messages].map(toChatMessage) }));
