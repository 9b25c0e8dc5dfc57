import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "./chromium.ts";
import { writePage } from "./inspect-command.ts";
import { recordedWork, work } from "./recorded-agent.ts";
import { axeFindings, BrowserBench } from "./testing/browser-page.ts";

const { isThere, note } = findChromium();
const SESSION = fileURLToPath(new URL("../../../examples/sessions/a-day-on-threadfold.jsonl", import.meta.url));
const PLACES = [
  "timeline",
  "request",
  "request?mode=log",
  "request?mode=difference",
  "request?mode=payload",
  "why?message=12",
  "gone?message=12",
  "plans",
  "bill",
  "integrity",
  "search?query=package",
];

/** Presses the key of the second view before the browser has shown the page that was just drawn. */
const PRESS_AT_ONCE = `
  new MutationObserver((_, observer) => {
    if (document.querySelector(".tabs") === null) return;
    observer.disconnect();
    dispatchEvent(new KeyboardEvent("keydown", { key: "2" }));
  }).observe(document, { childList: true, subtree: true });
`;

describe.skipIf(!isThere)(`how the page reads${note}`, () => {
  const bench = new BrowserBench();
  let url = "";
  let raw = "";

  beforeAll(async () => {
    const store = bench.path("reads.db");
    await work(await recordedWork("reads"), { store, preset: "ladder", budget: 30_000 });
    url = await writePage([store, "reads", "--bodies", "all"], bench.path("reads.html"));
    raw = await writePage([SESSION, "--bodies", "all", "--unredacted"], bench.path("raw.html"));
  });

  for (const [name, options, places] of [
    ["in light colours", { colorScheme: "light" }, PLACES],
    ["in dark colours", { colorScheme: "dark" }, PLACES],
    ["on a narrow screen", { viewport: { width: 420, height: 860 } }, PLACES],
  ] as const) {
    it(`axe finds nothing ${name}`, async () => {
      const { page } = await bench.open(url, ".tabs", { ...options, bypassCSP: true });
      const found: string[] = [];
      for (const place of places) {
        await page.goto(`${url}#/${place}`);
        await page.locator(`.view-${place.split("?")[0]}`).waitFor();
        found.push(...(await axeFindings(page)).map((finding) => `${place}: ${finding}`));
        if (await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
          found.push(`${place} is wider than the screen`);
      }
      expect(found).toEqual([]);
    });
  }

  it("everything is done by keys, and every place has an address that leads back to it", async () => {
    const { page } = await bench.open(url);
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const chosen = page.locator(".row.chosen");
    await press("2", "g", "j", "j", "j", "]");
    await expect.poll(() => chosen.locator(".row-body").count()).toBe(1);
    await press("[");
    await expect.poll(() => chosen.locator(".row-body").count()).toBe(0);
    await press("K", "K", "d");
    const address = page.url();
    expect(address).toMatch(/#\/request\?call=\d+.*mode=difference/);
    await press("?");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(1);
    await press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await press("/");
    await page.keyboard.type("package");
    // While it is still looked, there may be no row yet that a key could lead to.
    await expect.poll(() => page.getByRole("status").textContent()).toMatch(/^[1-9][\d,]* places$/);
    await press("Escape", "j", "Enter");
    await expect.poll(() => page.url()).toMatch(/#\/(why|request)\?.*message=/);

    const again = await bench.open(address);
    const strip = (one: Page) => one.getByRole("slider", { name: "Chosen call" }).getAttribute("aria-valuetext");
    await page.goto(address);
    expect(await strip(again.page)).toBe(await strip(page));
    expect(await again.page.getByRole("button", { name: "Difference", exact: true }).getAttribute("aria-pressed")).toBe(
      "true",
    );
  });

  it("a key that is pressed as soon as the page is drawn is followed", async () => {
    const context = await bench.browser.newContext();
    await context.addInitScript({ content: PRESS_AT_ONCE });
    const page = await context.newPage();
    await page.goto(url);
    await page.locator(".tabs").waitFor();
    expect(page.url()).toMatch(/#\/request$/);
    await context.close();
  });

  it("the row that an address chooses is seen whole, in lists with a head and without", async () => {
    const { page } = await bench.open(url);
    for (const place of ["timeline?call=54", "request?mode=log&message=40", "gone?message=12", "why?message=300"]) {
      await page.goto(`${url}#/${place}`);
      await page.reload();
      await page.locator(".row.chosen").waitFor();
      const list = await page.locator(".rows").boundingBox();
      const row = await page.locator(".row.chosen").boundingBox();
      if (list === null || row === null) throw new Error(`${place} has no list.`);
      const head = (await page.locator(".rows-head").count()) > 0 ? 28 : 0;
      expect(row.y, place).toBeGreaterThanOrEqual(list.y + head);
      expect(row.y + row.height, place).toBeLessThanOrEqual(list.y + list.height);
    }
  });

  it("the raw log is saved byte for byte", async () => {
    const { page } = await bench.open(`${raw}#/integrity`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save the raw log" }).click(),
    ]);
    expect(readFileSync(await download.path()).equals(readFileSync(SESSION))).toBe(true);
  });

  it("what is printed has the rows that a screen has only a window of", async () => {
    const { page } = await bench.open(`${url}#/request?mode=log`);
    const rows = page.getByRole("grid", { name: "Log" }).getByRole("row");
    const seen = await rows.count();
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await expect.poll(() => rows.count()).toBe(400);
    expect(seen).toBeLessThan(80);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await expect.poll(() => rows.count()).toBe(seen);
  });
});
