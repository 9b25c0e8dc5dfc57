import { ThreadfoldError } from "@threadfold/core";
import { brokenLaws } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonDocument, jsonLines, sessionLaws } from "../laws/importer-laws.ts";
import { describeImportWarning, type ImportWarning } from "../session/imported-session.ts";
import { importSession } from "./sessions.ts";

/** Words that the formats look at, so that random records come near to real ones. */
const words = [
  ...[
    "session",
    "message",
    "user",
    "assistant",
    "toolResult",
    "tool",
    "system",
    "compaction",
    "bashExecution",
    "compact_boundary",
  ],
  ...[
    "text",
    "thinking",
    "toolCall",
    "tool_use",
    "tool_result",
    "image",
    "function",
    "same-id",
    "2025-11-20T10:00:00.000Z",
    "{}",
    "{",
    "",
  ],
];
const keys = [
  ...[
    "type",
    "id",
    "uuid",
    "parentId",
    "parentUuid",
    "role",
    "message",
    "content",
    "messages",
    "timestamp",
    "summary",
    "isSidechain",
  ],
  ...[
    "isMeta",
    "isCompactSummary",
    "firstKeptEntryId",
    "firstKeptEntryIndex",
    "toolCallId",
    "tool_use_id",
    "tool_call_id",
    "tool_calls",
  ],
  ...[
    "name",
    "input",
    "arguments",
    "function",
    "text",
    "usage",
    "input_tokens",
    "subtype",
    "agentId",
    "sessionId",
    "__proto__",
    "constructor",
  ],
];
const { record } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.constantFrom(...words),
    fc.constantFrom(null, true, 0, 7, 1e308),
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("record"),
  ),
  record: fc.dictionary(fc.constantFrom(...keys), tie("value"), { maxKeys: 8, noNullPrototype: true }),
}));

const messageOf = fc.record(
  {
    role: fc.constantFrom("user", "assistant", "toolResult", "bashExecution", "custom"),
    content: fc.array(record, { maxLength: 3 }),
    toolCallId: fc.constantFrom(...words),
    usage: record,
  },
  { requiredKeys: ["role"] },
);
const entry = fc.oneof(
  record,
  fc.record({
    type: fc.constant("message"),
    id: fc.constantFrom("a", "b", "c"),
    parentId: fc.constantFrom("a", "b", "c", null),
    message: messageOf,
  }),
  fc.record({
    type: fc.constantFrom("user", "assistant"),
    uuid: fc.constantFrom("a", "b", "c"),
    parentUuid: fc.constantFrom("a", "b", "c", null),
    isSidechain: fc.boolean(),
    message: messageOf,
  }),
  messageOf,
);

describe("importSession", () => {
  it("returns a session that keeps the laws or throws a typed error, whatever it reads", async () => {
    const formats = ["auto", "pi", "claude-code", "openai-chat", "anthropic-messages"] as const;
    let sessions = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 12 }),
        fc.constantFrom(...formats),
        fc.boolean(),
        async (records, format, isDocument) => {
          const header = format === "pi" ? [{ type: "session", id: "s" }] : [];
          const bytes = isDocument ? jsonDocument({ messages: records }) : jsonLines([...header, ...records]);
          try {
            expect(await brokenLaws(sessionLaws(await importSession(bytes, { format })))).toEqual([]);
            sessions++;
          } catch (error) {
            if (!ThreadfoldError.isInstance(error)) throw error;
          }
        },
      ),
      { numRuns: 500, seed: 7 },
    );
    expect(sessions).toBeGreaterThan(100);
  });

  it("throws a typed error for any other bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const error = await importSession(bytes).catch((thrown: unknown) => thrown);
        expect(ThreadfoldError.isInstance(error)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("leaves its input bytes unchanged, and gives the same session each time", async () => {
    const bytes = jsonDocument([{ role: "user", content: "hello" }]);
    const before = bytes.slice();
    const [first, second] = await Promise.all([importSession(bytes), importSession(bytes)]);
    expect(bytes).toEqual(before);
    expect(first).toEqual(second);
  });

  it.each([
    ["formt", "Did you mean format?"],
    ["colour", "Known options: format, thread, importers, limits, signal, onProgress."],
  ])("refuses the option %s, which it would ignore", async (name, hint) => {
    const refused = importSession(jsonLines([]), { [name]: "pi" });
    await expect(refused).rejects.toMatchObject({ code: "INVALID_CONFIG", hint, details: { name } });
  });

  it("reports progress up to the end and yields to the event loop", async () => {
    const content = "x".repeat(300 * 1024);
    const bytes = jsonLines(Array.from({ length: 6 }, () => ({ role: "user", content })));
    const seen: number[] = [];
    let othersRan = 0;
    const others = setInterval(() => othersRan++, 0);
    await importSession(bytes, { onProgress: (progress) => seen.push(progress.bytes / progress.total) });
    clearInterval(others);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(1);
    expect(othersRan).toBeGreaterThan(0);
  });

  it("stops when aborted, before the start and between records", async () => {
    const bytes = jsonLines(Array.from({ length: 8 }, () => ({ role: "user", content: "x".repeat(300 * 1024) })));
    await expect(importSession(bytes, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" });
    const controller = new AbortController();
    let reports = 0;
    const aborted = importSession(bytes, {
      signal: controller.signal,
      onProgress: () => {
        if (++reports === 2) controller.abort();
      },
    });
    await expect(aborted).rejects.toMatchObject({ code: "ABORTED" });
    expect(reports).toBe(2);
  });
});

describe("describeImportWarning", () => {
  it("gives one sentence for every kind of warning", () => {
    const at = { line: 3, path: "/messages/2" };
    const warnings: readonly ImportWarning[] = [
      { kind: "unknown-record", type: "x", count: 2, firstLine: 3 },
      { kind: "invalid-arguments", at, callId: "c" },
      { kind: "repaired-value", at, messageId: "m" },
      { kind: "replaced-id", at, id: "i" },
      { kind: "duplicate-record", at, id: "i" },
      { kind: "missing-parent", at: { line: 3 }, parentId: "p" },
      { kind: "tools-without-schema", tools: ["a"] },
      { kind: "unreadable-tool", index: 0 },
      { kind: "more-threads", thread: 1, threads: 30 },
      { kind: "more-threads", thread: 2, threads: 2, names: ["a", "b"] },
      { kind: "several-session-ids", ids: ["a", "b"] },
      { kind: "invalid-utf8" },
    ];
    expect(warnings.map(describeImportWarning).filter((text) => !/^[A-Z0-9].*\.$/.test(text))).toEqual([]);
    expect(describeImportWarning(warnings[1] as ImportWarning)).toBe(
      "Line 3, /messages/2: the arguments of call c are not JSON and were kept as text.",
    );
  });
});
