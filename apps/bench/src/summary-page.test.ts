import { describe, expect, it } from "vitest";
import { refreshedPage, summaryExcerpt } from "./summary-page.ts";

const SUMMARY = [
  "shop, 20000 tokens, fold 2 of 2:",
  "",
  "[Summary v2.1]",
  "## Found out",
  "- one",
  `- ${"two ".repeat(80)}`,
  "- three in /home/somebody/shop",
  "## What is where",
  "- cart, checkout",
].join("\n");

describe("a page of summaries", () => {
  it("shows the first lines of each section, shortened, and says how many there are more", () => {
    const lines = summaryExcerpt(SUMMARY).split("\n");
    expect(lines.slice(0, 5)).toEqual([
      "shop, 20000 tokens, fold 2 of 2:",
      "[Summary v2.1]",
      "## Found out",
      "- one",
      expect.stringMatching(/ \[…\]$/),
    ]);
    expect(lines.slice(5)).toEqual(["  [… 1 more line]", "## What is where", "  [… 1 more line]"]);
  });

  it("shows whose home a path begins in, and the folder for work in it, as ~", () => {
    const paths =
      "## Changed\n- /home/somebody/work/shop/cart.ts and /Users/one/workspaces/till/a.ts\n- /home/two/shop/b.ts";
    expect(summaryExcerpt(paths)).toBe("## Changed\n- ~/shop/cart.ts and ~/till/a.ts\n- ~/shop/b.ts");
  });

  it("is written anew block by block, and nothing else of it", async () => {
    const page =
      "# Page\n\n```text shop 20000 last\nold\n```\n\nA reader: fine.\n\n```text shop 50000 10\n```\n\n```\nother\n```\n";
    const asked: unknown[] = [];
    const refreshed = await refreshedPage(page, async (shown) => {
      asked.push(shown);
      return "new\n";
    });
    expect(asked).toEqual([
      { name: "shop", budgetTokens: 20_000, fold: Number.POSITIVE_INFINITY },
      { name: "shop", budgetTokens: 50_000, fold: 10 },
    ]);
    expect(refreshed).toBe(
      "# Page\n\n```text shop 20000 last\nnew\n```\n\nA reader: fine.\n\n```text shop 50000 10\nnew\n```\n\n```\nother\n```\n",
    );
  });
});
