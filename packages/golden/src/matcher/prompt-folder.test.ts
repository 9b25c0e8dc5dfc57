import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { promptFolder } from "./prompt-folder.ts";
import { UsedPrompts } from "./used-prompts.ts";

const TEST = resolve("/project/src/agent.test.ts");

describe("the folder of a golden prompt", () => {
  it.each([
    ["long-session", "/project/src/__goldens__/agent.test.ts/long-session"],
    ["v1.2/long session", "/project/src/__goldens__/agent.test.ts/v1.2/long session"],
    ["./prompts/long", "/project/src/prompts/long"],
    ["../goldens", "/project/goldens"],
    ["/elsewhere", "/elsewhere"],
  ])("%s is %s", (name, folder) => {
    expect(promptFolder(name, TEST)).toBe(resolve(folder));
  });

  it.each(["", " ", "a/../../b", "a//b", ".", "a\\b", "a:b", undefined])("is none for %j", (name) => {
    expect(() => promptFolder(name as string, TEST)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });

  it("belongs to one test, which may ask again", () => {
    const used = new UsedPrompts();
    used.take(join(TEST, "a"), "first");
    used.take(join(TEST, "a"), "first");
    expect(() => used.take(join(TEST, "a"), "second")).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
    expect([...used.folders]).toEqual([join(TEST, "a")]);
  });
});
