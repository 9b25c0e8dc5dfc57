import { describe, expect, it } from "vitest";
import { systemEntrySchema, systemText, toSystemText, withSystemText } from "./system-text.ts";

const marked = { text: "Be brief.", role: "developer", providerMetadata: { openai: { name: "ops" } } } as const;

describe("system texts", () => {
  it("are strings, or texts with what a provider tells beside them", () => {
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
