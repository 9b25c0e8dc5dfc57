import type { ContextEvent, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { describe, expect, it } from "vitest";
import { withoutStaleThinking } from "./extension.ts";

type Message = ContextEvent["messages"][number];

const thinking = { type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" };
const call = { type: "toolCall", id: "a", name: "read", arguments: {} };
const assistant = (timestamp: number, ...content: readonly object[]) =>
  ({ role: "assistant", content, timestamp }) as unknown as Message;
const summary = (timestamp: number) =>
  ({ role: "compactionSummary", summary: "…", tokensBefore: 1, timestamp }) as unknown as Message;

const handled = (messages: Message[], id: string, api = "anthropic-messages") =>
  withoutStaleThinking({ type: "context", messages }, { model: { id, api } } as unknown as ExtensionContext).messages;

describe("thinking in turns that pi kept after a compaction", () => {
  const kept = [summary(5), assistant(3, thinking, call), assistant(4, thinking), assistant(6, thinking, call)];

  it("is removed for models that bind it to the prefix, except thinking produced since", () => {
    expect(handled(kept, "claude-opus-5-5")).toEqual([summary(5), assistant(3, call), assistant(6, thinking, call)]);
    expect(handled(kept, "a-model-that-nobody-knows")).toHaveLength(3);
  });

  it("stays for all other models, and when nothing was compacted", () => {
    expect(handled(kept, "claude-sonnet-4-5")).toBeUndefined();
    expect(handled(kept, "gpt-5.1", "openai-responses")).toBeUndefined();
    expect(handled(kept.slice(1), "claude-opus-5-5")).toBeUndefined();
  });
});
