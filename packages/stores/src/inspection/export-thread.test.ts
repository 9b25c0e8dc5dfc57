import { AgentThread, asMessageId, asThreadId, type JsonValue } from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../memory/memory-store.ts";
import { exportThread } from "./export-thread.ts";

const threadId = asThreadId("exported");
const word = "opensesame";

async function storeWithWord() {
  const store = createMemoryStore({ clock: pinnedClock(0) });
  const { entries } = AgentThread.empty(threadId).append([
    {
      id: asMessageId("m1"),
      role: "user",
      createdAt: "2026-01-01T00:00:00.000Z",
      parts: [{ type: "text", text: `The word is ${word}.` }],
    },
  ]);
  await store.threads.append(threadId, [...entries], { expectedVersion: "no-thread" });
  return store;
}

describe("exportThread", () => {
  it("R26 redact: passes every line through it, marks the export as redacted and leaves the store unchanged", async () => {
    const store = await storeWithWord();
    const plain = await exportThread(store, threadId);
    const seen: JsonValue[] = [];
    const redacted = await exportThread(store, threadId, {
      redact: async (line) => {
        seen.push(line);
        return JSON.parse(JSON.stringify(line).replaceAll(word, "[redacted word]")) as JsonValue;
      },
    });
    expect(redacted).not.toContain(word);
    expect(redacted.replace("[redacted word]", word).replace('"redacted":true,', "")).toBe(plain);
    expect(JSON.parse(redacted.split("\n")[0] ?? "")).toMatchObject({ type: "thread", redacted: true });
    expect(seen).toHaveLength(redacted.trimEnd().split("\n").length);
    expect(await exportThread(store, threadId)).toBe(plain);
    expect(plain).toContain(word);
  });
});
