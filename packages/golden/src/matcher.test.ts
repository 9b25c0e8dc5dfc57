import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { didAllRun, promptFolder, type RanTask, UsedPrompts } from "./matcher.ts";

const passed: RanTask = { mode: "run", result: { state: "pass" } };

describe("a test file ran whole", () => {
  it.each<[boolean, RanTask]>([
    [true, passed],
    [true, { mode: "run", tasks: [passed, { mode: "run", tasks: [passed] }] }],
    [false, { mode: "run", tasks: [passed, { mode: "skip" }] }],
    [false, { mode: "run", tasks: [passed, { mode: "todo" }] }],
    [false, { mode: "run", tasks: [{ mode: "run", result: { state: "fail" } }] }],
    [false, { mode: "run" }],
  ])("%s of %j", (expected, task) => {
    expect(didAllRun(task)).toBe(expected);
  });
});

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

  it("belongs to one test where file names ignore case, too", () => {
    const used = new UsedPrompts();
    used.take(join(TEST, "Long"), "first");
    expect(() => used.take(join(TEST, "long"), "second")).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });

  it("holds one prompt: a second one may not replace it in the same run", () => {
    const used = new UsedPrompts();
    used.accept({ folder: join(TEST, "a"), kind: "updated" });
    used.accept({ folder: join(TEST, "a"), kind: "equal" });
    used.accept({ folder: join(TEST, "b"), kind: "written" });
    for (const kind of ["updated", "written"] as const)
      expect(() => used.accept({ folder: join(TEST, "a"), kind })).toThrow(
        expect.objectContaining({ code: "INVALID_CONFIG", message: expect.stringContaining(join(TEST, "a")) }),
      );
  });
});
