import { describe, expect, it } from "vitest";
import { toolDefinitionSchema } from "./tool-definition.ts";

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
