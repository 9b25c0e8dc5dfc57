import { describe, expect, it } from "vitest";
import { isSameFile, strongestAction } from "./file-item.ts";

describe("two spellings of a path", () => {
  it.each([
    ["src/a.ts", "./src/a.ts"],
    ["/home/me/app/src/a.ts", "src/a.ts"],
    ["src/a.ts", "/home/me/app/src/a.ts"],
  ])("%s and %s are one file", (one, other) => expect(isSameFile(one, other)).toBe(true));

  it.each([
    ["a.ts", "/home/me/app/src/a.ts"],
    ["src/a.ts", "/home/me/app/other-src/a.ts"],
    ["/src/a.ts", "/home/me/app/src/a.ts"],
  ])("%s and %s need not be", (one, other) => expect(isSameFile(one, other)).toBe(false));
});

describe("what is true of a file after two actions", () => {
  it.each([
    ["created", "modified", "created"],
    ["modified", "read", "modified"],
    ["modified", "deleted", "deleted"],
    ["deleted", "created", "modified"],
    ["read", "modified", "modified"],
  ] as const)("after it was %s and %s it is %s", (earlier, later, both) =>
    expect(strongestAction(earlier, later)).toBe(both),
  );
});
