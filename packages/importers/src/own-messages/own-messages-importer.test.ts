import { AgentThread, asThreadId, type Message, type MessageInput } from "@threadfold/core";
import { agentThreads, brokenLaws } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws } from "../laws/importer-laws.ts";

const bytes = (value: unknown): Uint8Array => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));

const MESSAGES = [
  { id: "m1", role: "user", parts: [{ type: "text", text: "List it." }], createdAt: "2026-01-01T00:00:00.000Z" },
  {
    id: "m2",
    role: "assistant",
    parts: [{ type: "tool-call", callId: "c1", toolName: "bash", input: { command: "ls" } }],
    createdAt: "2026-01-01T00:00:01.000Z",
    model: "claude-opus-4-5",
  },
  {
    id: "m3",
    role: "tool",
    parts: [
      {
        type: "tool-result",
        result: { toolName: "bash", callId: "c1", outcome: "success", content: { type: "text", text: "a.ts" } },
      },
    ],
    createdAt: "2026-01-01T00:00:02.000Z",
  },
] as unknown as readonly MessageInput[];

/** A message without what an import adds. */
const plain = ({ metadata: _metadata, ...message }: MessageInput): unknown => message;

describe("messages in the form of this library", () => {
  it.each([
    ["a list", MESSAGES],
    ["one per line", MESSAGES.map((message) => JSON.stringify(message)).join("\n")],
    ["a thread's own", [...AgentThread.empty(asThreadId("t")).append(MESSAGES).messages]],
  ])("come in as they are: %s", async (_form, stored) => {
    const session = await importSession(bytes(stored));
    expect([session.format, session.malformed, session.warnings, session.model]).toEqual([
      "threadfold",
      [],
      [],
      "claude-opus-4-5",
    ]);
    expect(session.messages.map(plain)).toEqual(MESSAGES);
  });

  it("come with the system text and the tools of a neutral request, and need neither ids nor times there", async () => {
    const tool = { name: "bash", description: "Runs a command.", inputSchema: { type: "object" } };
    const messages = MESSAGES.map(({ role, parts, id }) => ({ role, parts, sources: [id] }));
    const session = await importSession(bytes({ system: ["Be short."], messages, tools: [tool] }));
    expect([session.format, session.system, session.tools]).toEqual(["threadfold", ["Be short."], [tool]]);
    expect(session.messages.map(({ role, parts }) => ({ role, parts }))).toEqual(
      MESSAGES.map(({ role, parts }) => ({ role, parts })),
    );
  });

  it("are reported where they are none, and the others come in", async () => {
    const session = await importSession(bytes([...MESSAGES, { role: "user", parts: [{ type: "text" }] }, 7]));
    expect(session.messages).toHaveLength(3);
    expect(session.malformed.map(({ path }) => path)).toEqual(["/3", "/4"]);
    expect(session.malformed[0]?.problem).toContain("parts.0");
  });

  it("keep the laws of importers, whole and damaged", async () => {
    expect(await brokenLaws(importerLaws({ bytes: bytes(MESSAGES), format: "threadfold" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes: bytes(MESSAGES), format: "threadfold" }))).toEqual([]);
  });

  it("law: of any thread come in as they are", async () => {
    await fc.assert(
      fc.asyncProperty(agentThreads(), async (thread) => {
        const messages: readonly Message[] = JSON.parse(JSON.stringify([...thread.messages]));
        fc.pre(messages.some(({ parts }) => parts.some(({ type }) => type === "tool-call" || type === "tool-result")));
        const session = await importSession(bytes(messages), { format: "threadfold" });
        expect(session.malformed).toEqual([]);
        const stored = messages.map(({ ordinal: _ordinal, turn: _turn, step: _step, ...message }) => message);
        expect(session.messages.map(plain)).toEqual(stored.map(plain));
      }),
      { numRuns: 60 },
    );
  });
});
