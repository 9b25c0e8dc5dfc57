import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws, jsonDocument } from "../laws/importer-laws.ts";

const text = (words: string) => ({ type: "text", text: words });
const image = { type: "image", data: "aGk=", mediaType: "image/png" };
const file = { type: "file", path: "/a.ts", content: "x = 1" };
const said = (id: string, role: string, content: unknown, more: object = {}) => ({ id, role, content, ts: 1, ...more });
const session = (messages: readonly object[]) =>
  jsonDocument({ version: 1, updated_at: "2026-09-01T10:00:00.000Z", agent: "lead", sessionId: "s-1", messages });

describe("sessions of Cline 4", () => {
  it("have pictures and files, in messages and in results", async () => {
    const content = [text("ok"), image, file];
    const thinking = { type: "thinking", thinking: "hm", signature: "c2ln", details: [{ type: "reasoning.text" }] };
    const bytes = session([
      said("m1", "user", [text("look"), image]),
      said("m2", "assistant", [thinking, { type: "tool_use", id: "c1", name: "read_files", input: {} }]),
      said("m3", "user", [{ type: "tool_result", tool_use_id: "c1", name: "read_files", content }]),
    ]);
    const { messages } = await importSession(bytes);
    const picture = { type: "image", source: { kind: "base64", mediaType: "image/png", data: "aGk=" } };
    expect(messages[0]?.parts).toEqual([text("look"), picture]);
    expect(messages[1]?.parts[0]).toEqual({
      ...{ type: "reasoning", text: "hm", provider: "anthropic", signature: "c2ln" },
    });
    expect(messages[2]?.parts).toMatchObject([
      {
        type: "tool-result",
        result: {
          content: {
            type: "blocks",
            blocks: [text("ok"), picture, text('<file_content path="/a.ts">\nx = 1\n</file_content>')],
          },
        },
      },
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "cline" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes, format: "cline" }))).toEqual([]);
  });

  it("keep every field of what a tool returned", async () => {
    const content = [{ query: "/a.ts", summary: "short", details: [1], success: true }];
    const call = { type: "tool_use", id: "c1", name: "read_files", input: {} };
    const { messages } = await importSession(
      session([
        said("m1", "assistant", [call], { modelInfo: { id: "m", provider: "p" } }),
        said("m2", "user", [{ type: "tool_result", tool_use_id: "c1", name: "read_files", content }]),
      ]),
    );
    expect(messages[1]?.parts).toMatchObject([{ result: { content: { type: "json", value: content } } }]);
  });

  it("mark what Cline says in the user's place, and its summaries", async () => {
    const shown = { displayRole: "system" };
    const bytes = session([
      said("m1", "user", "look"),
      said("m2", "assistant", "Done.", { modelInfo: { id: "m", provider: "p" } }),
      said("m3", "user", [text("Try again.")], { metadata: { kind: "recovery_notice", ...shown } }),
      said("m4", "user", [text('<hook_context source="x">\nMind it.\n</hook_context>')]),
      said("m5", "user", "All of it.", { metadata: { kind: "compaction_summary", ...shown }, compactionSummary: true }),
      said("m6", "user", "kept", { metadata: { kind: "compaction" } }),
    ]);
    const { messages, compactions } = await importSession(bytes);
    expect(messages.map(({ id, origin }) => [id, origin])).toEqual([
      ["m1", undefined],
      ["m2", undefined],
      ["m3", "harness"],
      ["m4", "harness"],
      ["m5", "compaction"],
      ["m6", undefined],
    ]);
    expect(compactions).toEqual([{ messageId: "m5" }]);
    expect(await brokenLaws(importerLaws({ bytes, format: "cline" }))).toEqual([]);
  });

  it("have their compacted history in a document of its own, which is another thread", async () => {
    const summary = { metadata: { kind: "compaction_summary", displayRole: "system" } };
    const compacted = {
      ...{ version: 1, updated_at: "2026-09-01T10:00:00.000Z", conversation_id: "s-1", system_prompt: "be brief" },
      ...{ source_message_count: 7, source_prefix_hash: "sha256:ab", source_last_message_key: "id:m7" },
      messages: [
        said("m8", "user", "All of it.", summary),
        said("m6", "user", [text("look"), image]),
        said("m7", "assistant", [text("Seen.")], { modelInfo: { id: "m", provider: "p" } }),
      ],
    };
    const bytes = jsonDocument(compacted);
    const read = await importSession(bytes);
    expect([read.format, read.system, read.model]).toEqual(["cline", ["be brief"], "m"]);
    expect(read.messages.map(({ id, origin, parts }) => [id, origin, ...parts.map(({ type }) => type)])).toEqual([
      ["m8", "compaction", "text"],
      ["m6", undefined, "text", "image"],
      ["m7", undefined, "text"],
    ]);
    expect(read.compactions).toEqual([{ messageId: "m8" }]);
    expect(read.threadId).not.toBe("s-1");
    const first = await importSession(jsonDocument({ ...compacted, messages: compacted.messages.slice(0, 1) }));
    expect([first.format, first.messages[0]?.origin]).toEqual(["cline", "compaction"]);
    expect(await brokenLaws(importerLaws({ bytes, format: "cline" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes, format: "cline" }))).toEqual([]);
  });
});
