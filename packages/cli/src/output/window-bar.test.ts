import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Page } from "./page.ts";
import { painter } from "./paint.ts";
import { shareOut, windowBar } from "./window-bar.ts";

const page: Page = { columns: 60, paint: painter(false), isTerminal: false };
const nothing = { system: 0, tools: 0, pins: 0, summaries: 0, pointers: 0, kept: 0, rehydrated: 0, overhead: 0 };

describe("shareOut", () => {
  it("fills the width, gives everything a cell, and more tokens never fewer cells", () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 9, max: 120 }), (tokens, width) => {
        const cells = shareOut(tokens, width);
        expect(cells.reduce((sum, cell) => sum + cell, 0)).toBe(width);
        expect(Math.min(...cells)).toBeGreaterThanOrEqual(1);
        tokens.forEach((more, a) => {
          tokens.forEach((less, b) => {
            if (more > less) expect((cells[a] ?? 0) + 1).toBeGreaterThanOrEqual(cells[b] ?? 0);
          });
        });
      }),
      { numRuns: 300 },
    );
  });

  it("gives nothing to nothing", () => expect(shareOut([0, 0], 10)).toEqual([0, 0]));
});

describe("windowBar", () => {
  it("shows each kind of content with a glyph of its own and its tokens", () => {
    const lines = windowBar({ ...nothing, system: 250, pins: 10, kept: 240 }, 1_000, page);
    expect(lines[0]).toBe(`  ${"▓".repeat(14)}◆${"█".repeat(13)}${"·".repeat(28)}`);
    expect(lines[1]).toBe("  ▓ system 250  ◆ pins 10  █ kept 240  · free 500");
  });

  it("leaves no room free when the content exceeds the budget", () => {
    expect(windowBar({ ...nothing, kept: 2_000 }, 1_000, page)).toEqual([`  ${"█".repeat(56)}`, "  █ kept 2,000"]);
  });

  it("keeps to the page's width and breaks the legend", () => {
    const full = {
      system: 1,
      tools: 22_222,
      pins: 3,
      summaries: 44_444,
      pointers: 5,
      kept: 66_666,
      rehydrated: 7,
      overhead: 8,
    };
    const lines = windowBar(full, 1_000_000, page);
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });
});
