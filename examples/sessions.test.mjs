import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const files = globSync("sessions/*.jsonl", { cwd: import.meta.dirname });

describe.each(files)("the bundled %s", (file) => {
  const text = readFileSync(`${import.meta.dirname}/${file}`, "utf8");
  const entries = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const messages = entries.filter(({ type }) => type === "message").map(({ message }) => message);
  const blocks = messages.flatMap(({ content }) => content);

  it("holds at least 150 000 tokens of what a model would see, in less than 1.5 MB", () => {
    const characters = blocks.reduce((sum, block) => sum + (block.text ?? JSON.stringify(block.arguments)).length, 0);
    expect(characters / 4).toBeGreaterThan(150_000);
    expect(text.length).toBeLessThan(1_500_000);
  });

  it("answers every call once, and some in parallel and some with an error", () => {
    const calls = blocks.filter(({ type }) => type === "toolCall").map(({ id }) => id);
    const results = messages.filter(({ role }) => role === "toolResult");
    expect(results.map(({ toolCallId }) => toolCallId)).toEqual(calls);
    expect(new Set(calls).size).toBe(calls.length);
    expect(results.filter(({ isError }) => isError).length).toBeGreaterThan(3);
    expect(
      messages.filter(({ content }) => content.filter(({ type }) => type === "toolCall").length > 1).length,
    ).toBeGreaterThan(5);
  });

  it("says nothing of the machine that recorded it", () => {
    expect(entries[0]).toMatchObject({ type: "session", version: 3, cwd: "/repo" });
    expect(text).not.toMatch(/threadfold-example-|\/(?:root|work|private|Users)\/|\/(?:usr|opt)\/[\w/.-]*node/);
  });
});

it("is there", () => expect(files).not.toEqual([]));
