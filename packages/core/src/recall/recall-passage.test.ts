import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { growthOnQuadrupling } from "../laws/runs.ts";
import { asMessageId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import { passagesOf, passageText } from "./recall-passage.ts";
import { loadStemmers } from "./stemmers.ts";

const stemmers = await loadStemmers();

const messageOf = (text: string): Message => ({
  id: asMessageId("m"),
  role: "user",
  createdAt: "2026-01-01T00:00:00.000Z",
  parts: [{ type: "text", text }],
  ordinal: 0,
  turn: 1,
  step: 0,
});

describe("the passages of a message", () => {
  it.each([
    ["base64 on one line", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0"],
    ["words on one line", "some words "],
    ["one letter", "a"],
    ["marks without a letter", "\u0301\u0323"],
    ["line ends", "\n"],
  ])("R29 are cut in linear time from %s", async (_, unit) => {
    const textOf = (size: number): Message => messageOf(unit.repeat(size / unit.length));
    expect(await growthOnQuadrupling(textOf, (message) => [...passagesOf(message, stemmers)], 250_000)).toBeLessThan(
      10,
    );
  });

  it("cover the text without a gap, are no longer than 800 characters, and end at lines or words where there are any", () => {
    const pieces = fc.array(fc.oneof(fc.constantFrom("\n", " ", "word", "\u{1F600}"), fc.string({ maxLength: 900 })));
    fc.assert(
      fc.property(pieces, (parts) => {
        const message = messageOf(parts.join(""));
        const [passages, text] = [[...passagesOf(message, stemmers)], parts.join("")];
        expect(passages.map(({ passage }) => passageText(message, passage)).join("")).toBe(text);
        for (const { passage } of passages.slice(0, -1)) {
          const { start, end } = passage;
          expect(end - start).toBeLessThanOrEqual(800);
          expect(end - start).toBeGreaterThan(399);
          const second = text.slice(start + 400, start + 800);
          const last = second.includes("\n") ? "\n" : second.includes(" ") ? " " : null;
          if (last !== null) expect([text[end - 1], second.lastIndexOf(last)]).toEqual([last, end - start - 401]);
        }
      }),
    );
  });
});
