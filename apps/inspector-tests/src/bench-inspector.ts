// Measures how fast the page is: `npm run bench:inspector -- --json`, with `--messages N` for a size other than 10,000.
// A thread of that many messages is made from the bundled session, inspected with all bodies, and opened in Chromium.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { servedPage } from "@threadfold/inspector";
import type { Browser, CDPSession, Page } from "playwright-core";
import { startChromium } from "./chromium.ts";
import { writePage } from "./inspect-command.ts";
import { recordedWork, work } from "./recorded-agent.ts";

/** The measured figures of the page. */
interface PageFigures {
  readonly messages: number;
  /** Time from requesting the page until the first view is painted. */
  readonly firstPaintMs: number;
  /** Frame rate while the whole log scrolls by. */
  readonly framesPerSecond: number;
  /** The page's own work for one of those frames, whatever else the machine does. */
  readonly frameWorkMs: number;
  /** JavaScript heap in use after all views were visited and garbage was collected. */
  readonly heapMb: number;
  /** Size of the page without its data, gzipped. */
  readonly appKb: number;
}

/**
 * Settings of the agent that writes the thread. Every plan names everything it folds and is kept whole, so a policy
 * that folds a little at each call writes gigabytes of plans into a thread of this length: this one folds a lot, and
 * rarely. In the longest threads, only some of the answers are requested, with larger requests.
 */
const agentFor = (messages: number) =>
  messages <= 10_000
    ? { preset: "claude-code", budget: 100_000, every: 1 }
    : { preset: "claude-code", budget: 400_000, every: Math.ceil(messages / 2_000) };

async function measure(messages: number): Promise<PageFigures> {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-bench-inspector-"));
  try {
    const store = join(folder, "bench.db");
    await work(await recordedWork("bench", messages), { store, ...agentFor(messages) });
    const url = await writePage([store, "bench", "--bodies", "all"], join(folder, "page.html"));
    const browser = await startChromium(["--js-flags=--expose-gc"]);
    try {
      return { messages, ...(await measurePage(browser, url)), appKb: await applicationKb() };
    } finally {
      await browser.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measurePage(browser: Browser, url: string): Promise<Omit<PageFigures, "messages" | "appKb">> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(`
    new MutationObserver((_, observer) => {
      if (document.querySelector(".tabs") === null) return;
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = performance.now(); }));
    }).observe(document, { childList: true, subtree: true });
  `);
  await page.goto(url, { waitUntil: "commit" });
  await page.locator(".tabs").waitFor({ timeout: 300_000 });
  const firstPaintMs = Math.round(await page.evaluate<number>(PAINTED));
  await page.waitForLoadState("load", { timeout: 300_000 });
  for (const view of ["request", "why", "gone", "plans", "bill", "integrity"]) await look(page, url, view);
  await look(page, url, "request?mode=log");
  const inspector = await page.context().newCDPSession(page);
  await inspector.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await metric(inspector, "TaskDuration");
  const framesPerSecond = Math.round(await page.evaluate<number>(SCROLLING));
  const worked = (await metric(inspector, "TaskDuration")) - before;
  const frameWorkMs = Math.round((1e4 * worked) / (framesPerSecond * SCROLLED_SECONDS)) / 10;
  await inspector.send("HeapProfiler.collectGarbage");
  const heapMb = Math.round((await metric(inspector, "JSHeapUsedSize")) / 1024 ** 2);
  return { firstPaintMs, framesPerSecond, frameWorkMs, heapMb };
}

async function metric(inspector: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await inspector.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
}

async function look(page: Page, url: string, view: string): Promise<void> {
  await page.goto(`${url}#/${view}`);
  await page.locator(`.view-${view.split("?")[0]}`).waitFor();
}

/**
 * Waits for the time at which the first view was painted; the page's content security policy forbids waiting for an
 * expression given as text.
 */
const PAINTED = `new Promise((resolve) => {
  const look = () => (window.painted > 0 ? resolve(window.painted) : requestAnimationFrame(look));
  look();
})`;

const SCROLLED_SECONDS = 3;

/** Scrolls for that long, one screen every third frame; returns the frames per second. */
const SCROLLING = `new Promise((resolve) => {
  const rows = document.querySelector(".log-rows");
  rows.scrollTop = 0;
  const start = performance.now();
  let frames = 0;
  const step = (now) => {
    if (now - start > ${1_000 * SCROLLED_SECONDS}) return resolve((1000 * frames) / (now - start));
    frames++;
    rows.scrollTop += 240;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

const applicationKb = async (): Promise<number> => Math.round(gzipSync(await servedPage()).length / 102.4) / 10;

const described = ({ messages, firstPaintMs, framesPerSecond, frameWorkMs, heapMb, appKb }: PageFigures): string =>
  `${messages} messages: first paint after ${firstPaintMs} ms, ${framesPerSecond} frames per second, each ${frameWorkMs} ms of work, ${heapMb} MB of heap; the page is ${appKb} KB gzipped.\n`;

const { values } = parseArgs({
  options: { json: { type: "boolean", default: false }, messages: { type: "string", default: "10000" } },
});
const figures = await measure(Number(values.messages));
process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : described(figures));
