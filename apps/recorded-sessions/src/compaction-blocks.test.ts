import { readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "@threadfold/core";
import { anthropicNativeEdits } from "@threadfold/renderer/native";
import { ContextSession, formatById, type ImportedSession, importSession, type JsonObject } from "threadfold";
import { describe, expect, it } from "vitest";
import { dataFolder } from "./recorded-files.ts";

const folder = dataFolder();

/** Blocks that the server made, in the shapes that the SDKs type. */
const MADE: readonly (readonly [string, string, JsonObject])[] = [
  [
    "a summary",
    "anthropic-messages",
    { type: "compaction", content: "What was.\n\n ü 🚀 \\u0041", encrypted_content: "b64==" },
  ],
  ["a failed one", "anthropic-messages", { type: "compaction", content: null, encrypted_content: null }],
  [
    "one with a signature and changes of tools",
    "anthropic-messages",
    { type: "compaction", content: "So.", encrypted_content: "x", signature: "c2ln", tool_changes: [] },
  ],
  ["an encrypted item", "openai-responses", { type: "compaction", id: "cmp_1", encrypted_content: "gAAA==" }],
];

async function renderedFrom(imported: ImportedSession, format: string) {
  const session = await ContextSession.open({
    threadId: imported.threadId,
    format: formatById(format),
    frame: { system: imported.system, tools: imported.tools },
    journal: false,
  });
  await session.append(imported.messages);
  const prepared = await session.prepare();
  expect([prepared.violations, formatById(format).check(prepared.payload)]).toEqual([[], []]);
  return { session, ...prepared };
}

const bytesOf = (value: JsonObject): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const isCompaction = (value: unknown): boolean => (value as { readonly type?: unknown } | null)?.type === "compaction";

describe("compaction at the provider", () => {
  it.each(MADE)("comes back as it was after import and rendering: %s", async (_name, format, block) => {
    const user = { role: "user", content: "On." };
    const body: JsonObject =
      format === "anthropic-messages"
        ? { messages: [{ role: "assistant", content: [block, { type: "text", text: "On it." }] }, user] }
        : { input: [block, user] };
    const imported = await importSession(bytesOf(body));
    expect(imported.format).toBe(format);
    const { session, payloadText } = await renderedFrom(imported, format);
    expect(payloadText).toContain(canonicalJson(block));
    const { betas, fields } = anthropicNativeEdits(session.thread, session.plan);
    expect(betas).toEqual(format === "anthropic-messages" ? ["compact-2026-01-12"] : []);
    expect(fields).toEqual({});
  });

  it.skipIf(folder === null).each([
    ["anthropic-compaction.1.json", "anthropic-messages", "content"],
    ["openai-compaction.1.json", "openai-responses", "output"],
  ])("comes back as it was recorded: %s (skipped without THREADFOLD_DATA)", async (name, format, field) => {
    const text = readFileSync(join(folder as string, "ai-sdk-fixtures", name), "utf8");
    const blocks = ((JSON.parse(text) as JsonObject)[field] as readonly JsonObject[]).filter(isCompaction);
    const imported = await importSession(new TextEncoder().encode(text));
    expect(imported.compactions).toMatchObject([{ trigger: "server" }]);
    const { payloadText } = await renderedFrom(imported, format);
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) expect(payloadText).toContain(canonicalJson(block));
  });
});
