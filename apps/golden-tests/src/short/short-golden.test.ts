import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readShortGolden, shortGolden } from "./short-golden.ts";

const FOLDER = resolve(import.meta.dirname, "../../short");
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".md"));

/** To add one, write its title and its thread, and let `vitest run -u` write the rest. */
describe("a short golden prompt", () => {
  it.each(files)("%s", async (name) => {
    const path = resolve(FOLDER, name);
    const golden = readShortGolden(readFileSync(path, "utf8"));
    const whole = shortGolden(golden);
    expect(whole).not.toContain("\n- breaks ");
    await expect(whole).toMatchFileSnapshot(path);
  });

  it("there are a hundred of them, none like another, of no more than ten messages", () => {
    const scripts = files.map((name) => readShortGolden(readFileSync(resolve(FOLDER, name), "utf8")).script);
    expect(new Set(scripts.map((lines) => lines.join("\n"))).size).toBe(files.length);
    expect(files.length).toBeGreaterThanOrEqual(100);
    const messages = scripts.map((lines) =>
      lines.filter((line) => /^(system|user|assistant|(failed )?result)\b/.test(line)),
    );
    for (const spoken of messages) expect(spoken.length).toBeLessThanOrEqual(10);
  });

  it.each([
    ["no thread", "# A title\n"],
    ["no title", "```thread\nuser: Hi.\n```\n"],
  ])("with %s is refused", (_, file) => {
    expect(() => readShortGolden(file)).toThrow("a title and a thread");
  });

  it("names a line that it cannot read", () => {
    expect(() => shortGolden({ title: "t", script: ["usr: Hi."] })).toThrow("Not a line of a short thread: usr: Hi.");
  });
});
