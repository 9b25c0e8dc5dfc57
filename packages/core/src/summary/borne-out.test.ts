import { describe, expect, it } from "vitest";
import { beginsWith, saysInOwnWords, saysVerbatim } from "./borne-out.ts";

describe("saysVerbatim", () => {
  it.each([
    ["Never push to main.", "Never push to main."],
    ["Fix the bug.\nNever push to main", "Never push to main"],
    ["- **Never push to main.**\n- Use pnpm.", "Never push to main."],
    ['Note: "use tabs", please.\nThanks', 'Note: "use tabs", please.'],
    ["Use  pnpm\n  from now on. Then go on.", "Use pnpm from now on."],
    ["不要修改这个文件。继续。", "不要修改这个文件。"],
    ["Build the page. It has three parts. They are red.", "Build the page. … They are red."],
    ["The key is abc123. Never log it.", "The key is [redacted api-key]. Never log it."],
    ["You must not:\n- log keys\n- push", "You must not:\n- log keys\n- push"],
    ["Please refactor the long function in a.ts and its tests", "Please refactor the long function…"],
  ])("%j says %j", (said, words) => {
    expect(saysVerbatim(said, words)).toBe(true);
  });

  it.each([
    ["Never delete the logs.", "delete the logs."],
    ["Never delete the logs unless I ask you to.", "Never delete the logs"],
    ["You may push when the tests are green.", "You may push"],
    ["Don't delete the users table", "delete the users table"],
    ["Fix the tests.", "Delete the tests."],
    ["Fix the tests.", ""],
    ["Fix the tests.", "…"],
    ["They are red. Build the page.", "Build the page. … They are red."],
  ])("%j does not say %j", (said, words) => {
    expect(saysVerbatim(said, words)).toBe(false);
  });
});

describe("saysInOwnWords", () => {
  it.each([
    ["Please add an export as CSV to the orders page.", "Add CSV export to the orders page"],
    ["Kannst du bitte die Tests reparieren?", "Tests reparieren"],
    ["Don't touch the lock file.", "Do not touch the lock file"],
    ["请修复登录错误。", "修复登录错误"],
  ])("%j says what %j says", (said, words) => {
    expect(saysInOwnWords(said, words)).toBe(true);
  });

  it.each([
    ["Please fix the failing tests in billing.", "Delete the failing tests in billing"],
    ["Do not delete the failing tests.", "Delete the failing tests"],
    ["Delete the failing tests.", "Do not delete the failing tests"],
    ["Add an export. The orders page is slow.", "Export the slow orders page"],
    ["Add an export.", "to the"],
  ])("%j does not say what %j says", (said, words) => {
    expect(saysInOwnWords(said, words)).toBe(false);
  });
});

describe("beginsWith", () => {
  it("takes a beginning that ends wherever the room did, and nothing from the midst", () => {
    expect(beginsWith("Build  the page\nwith three parts.", "Build the page wi")).toBe(true);
    expect(beginsWith("Do not build the page.", "build the page")).toBe(false);
    expect(beginsWith("Build the page.", " ")).toBe(false);
  });
});
