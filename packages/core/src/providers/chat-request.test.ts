import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { threadOf, user } from "../laws/messages.ts";
import { agentThreads } from "../laws/thread-arbitrary.ts";
import type { Message } from "../model/message.ts";
import {
  systemEntrySchema,
  systemText,
  toChatMessage,
  toolDefinitionSchema,
  toSystemText,
  withSystemText,
} from "./chat-request.ts";

describe("toolDefinitionSchema", () => {
  const tool = { name: "read", inputSchema: { type: "object" } };

  it("accepts a tool with and without description and provider metadata", () => {
    const full = {
      ...tool,
      description: "Reads a file.",
      providerMetadata: { anthropic: { cacheControl: { type: "ephemeral" } } },
    };
    for (const definition of [tool, full]) expect(toolDefinitionSchema.parse(definition)).toEqual(definition);
  });

  it.each([
    { ...tool, name: "" },
    { ...tool, inputSchema: "object" },
    { ...tool, inputSchema: { at: new Date(0) } },
    { ...tool, description: "\ud800" },
    { ...tool, providerMetadata: { a: 1 } },
  ])("refuses %j", (definition) => {
    expect(toolDefinitionSchema.safeParse(definition).success).toBe(false);
  });
});

it("toChatMessage keeps role, parts, source and any provider metadata", () => {
  for (const providerMetadata of [undefined, { openai: { name: "ops" } }]) {
    const fields = providerMetadata === undefined ? {} : { providerMetadata };
    const [message] = threadOf(user("u1", "Go.", fields)).messagesBetween(0);
    const { role, parts } = message as Message;
    expect(Object.entries(toChatMessage(message as Message))).toEqual(
      Object.entries({ role, parts, sources: ["u1"], ...fields }),
    );
  }
});

const marked = { text: "Be brief.", role: "developer", providerMetadata: { openai: { name: "ops" } } } as const;

describe("system texts", () => {
  it("are strings or texts with provider metadata", () => {
    expect([systemText("Be kind."), systemText(marked)]).toEqual(["Be kind.", "Be brief."]);
    expect([toSystemText("Be kind."), toSystemText(marked)]).toEqual([{ text: "Be kind." }, marked]);
    expect([withSystemText("Be kind.", "x"), withSystemText(marked, "x")]).toEqual(["x", { ...marked, text: "x" }]);
  });

  it.each(["Be kind.", marked, { text: "and so on", continues: true }])("pass their schema: %j", (entry) => {
    expect(systemEntrySchema.parse(entry)).toEqual(entry);
  });

  it.each([
    1,
    null,
    "\ud800",
    {},
    { text: 1 },
    { text: "x", role: "user" },
    { text: "x", continues: false },
    { text: "x", providerMetadata: { openai: "name" } },
  ])("are refused: %j", (entry) => {
    expect(systemEntrySchema.safeParse(entry).success).toBe(false);
  });
});

describe("toChatMessage", () => {
  it("reuses the message's parts, names it as the source and is not synthetic", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true, maxMessages: 8, pins: false }), (thread) => {
        for (const message of thread.messages) {
          const chat = toChatMessage(message);
          expect(chat).toEqual({ role: message.role, parts: message.parts, sources: [message.id] });
          expect(chat.parts).toBe(message.parts);
        }
      }),
      { numRuns: 50 },
    );
  });
});
