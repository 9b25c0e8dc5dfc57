import type { TokenBreakdown } from "@threadfold/core";
import { figure } from "./figures.ts";
import type { Page } from "./page.ts";
import type { PaintStyle } from "./paint.ts";

/** One kind of content of the window. Each has a glyph of its own, so that the bar reads without colours. */
interface Segment {
  readonly name: keyof TokenBreakdown | "free";
  readonly glyph: string;
  readonly style: PaintStyle;
}

const SEGMENTS: readonly Segment[] = [
  { name: "system", glyph: "▓", style: "blue" },
  { name: "tools", glyph: "▒", style: "blue" },
  { name: "pins", glyph: "◆", style: "yellow" },
  { name: "summaries", glyph: "≡", style: "magenta" },
  { name: "pointers", glyph: "→", style: "cyan" },
  { name: "rehydrated", glyph: "+", style: "cyan" },
  { name: "kept", glyph: "█", style: "green" },
  { name: "overhead", glyph: "░", style: "dim" },
  { name: "free", glyph: "·", style: "dim" },
];

interface Share extends Segment {
  readonly tokens: number;
}

/**
 * What the window holds as a bar, and below it the legend with token figures. Whatever has a token gets a cell; what has
 * none is left out. When the content exceeds the window, nothing is free and the bar is all content.
 */
export function windowBar(breakdown: TokenBreakdown, budget: number, page: Page): readonly string[] {
  const used = Object.values(breakdown).reduce((sum, tokens) => sum + tokens, 0);
  const figures = { ...breakdown, free: Math.max(0, budget - used) };
  const shares = SEGMENTS.map((segment): Share => ({ ...segment, tokens: figures[segment.name] }));
  const shown = shares.filter((share) => share.tokens > 0);
  const cells = shareOut(
    shown.map((share) => share.tokens),
    page.columns - 4,
  );
  const bar = shown.map((share, index) => page.paint(share.style, share.glyph.repeat(cells[index] ?? 0))).join("");
  return [`  ${bar}`, ...legend(shown, page)];
}

/** Divides cells in proportion, at least one for each, the largest remainders first; the cells add up to the width. */
export function shareOut(amounts: readonly number[], width: number): readonly number[] {
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  if (total === 0) return amounts.map(() => 0);
  const exact = amounts.map((amount) => (amount / total) * width);
  const cells = exact.map((cell) => Math.max(1, Math.floor(cell)));
  const order = exact
    .map((cell, index) => ({ index, rest: cell - Math.floor(cell) }))
    .sort((a, b) => b.rest - a.rest || a.index - b.index);
  let left = width - cells.reduce((sum, cell) => sum + cell, 0);
  for (const { index } of order) {
    if (left <= 0) break;
    if ((exact[index] ?? 0) < 1) continue;
    cells[index] = (cells[index] ?? 0) + 1;
    left--;
  }
  while (left < 0) {
    const widest = cells.indexOf(Math.max(...cells));
    if ((cells[widest] ?? 0) <= 1) break;
    cells[widest] = (cells[widest] ?? 0) - 1;
    left++;
  }
  return cells;
}

function legend(shares: readonly Share[], page: Page): readonly string[] {
  const lines: string[] = [];
  let line = " ";
  let width = 1;
  for (const { glyph, style, name, tokens } of shares) {
    const text = ` ${name} ${figure(tokens)} `;
    if (width + text.length + 2 > page.columns) {
      lines.push(line.trimEnd());
      line = " ";
      width = 1;
    }
    line += ` ${page.paint(style, glyph)}${text}`;
    width += text.length + 2;
  }
  return [...lines, line.trimEnd()];
}
