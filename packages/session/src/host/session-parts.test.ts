import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { assistantMessage, text, toolMessage, userMessage } from "./messages.ts";

const folder = mkdtempSync(join(tmpdir(), "threadfold-open-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a session opened with a store path and a budget", () => {
  const config = { maxInputTokens: 50_000 };

  it("gets a new thread, and is opened again by its thread id", async () => {
    const store = join(folder, "threads.db");
    const first = await ContextSession.open({ store, config });
    await first.append([userMessage("Review package.json.")]);
    await first.close();
    const second = await ContextSession.open({ store, config });
    expect(second.threadId).not.toBe(first.threadId);
    expect(second.thread.length).toBe(0);
    await second.close();
    const again = await ContextSession.open({ store, config, threadId: first.threadId });
    expect(again.thread.length).toBe(1);
    const { request } = await again.prepare();
    expect(JSON.stringify(request)).toContain("Review package.json.");
    await again.close();
  });

  it("creates no store when an option is wrong, and closes the store when the thread cannot be opened", async () => {
    const store = join(folder, "never.db");
    const wrong = { store, config, budget: 3 } as never;
    await expect(ContextSession.open(wrong)).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    expect(existsSync(store)).toBe(false);
    const small = ContextSession.open({ store, config: { maxInputTokens: -1 } });
    await expect(small).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    rmSync(store);
    await expect(ContextSession.open({ store: "ftp://store", config })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
    });
  });
});

describe("messages made by the short constructors", () => {
  it("have an id, a time and what was said", () => {
    const [one, other] = [userMessage("Hello."), userMessage("Hello.")];
    expect(one.id).not.toBe(other.id);
    expect(one).toMatchObject({ role: "user", parts: [{ type: "text", text: "Hello." }] });
    expect(Date.parse(one.createdAt)).toBeGreaterThan(0);
    const named = { id: "m1", createdAt: "2026-01-01T00:00:00.000Z" };
    expect(assistantMessage([text("Done.")], named)).toEqual({
      ...named,
      role: "assistant",
      parts: [{ type: "text", text: "Done." }],
    });
  });

  it("answer a call, as a success by default", () => {
    const call = { callId: "c1", toolName: "read_file" };
    expect(toolMessage(call, "one").parts).toEqual([
      { type: "tool-result", result: { ...call, outcome: "success", content: { type: "text", text: "one" } } },
    ]);
    expect(toolMessage(call, "no such file", { outcome: "failure" }).parts).toMatchObject([
      { result: { outcome: "failure" } },
    ]);
  });
});
