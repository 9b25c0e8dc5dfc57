// Opens the page of a scripted agent while it works, and follows it to its end: `npm run follow -w @threadfold/inspector-tests`,
// with `--calls N` for another length than ten thousand calls, and `--out FOLDER` for pictures of every view at the end. Says
// every few seconds how many calls the agent has made, how many the page shows, and how long the page last took to answer a key.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { startChromium } from "./chromium.ts";
import { servePage } from "./inspect-command.ts";
import { startAgent } from "./working-agent.ts";

const LOOK_EVERY_MS = 5_000;
/** How many looks without a new call, while the agent makes some, are a page that stands still. */
const STANDS_STILL = 12;

const shownCalls = async (page: Page): Promise<number> => {
  const said = await page.getByRole("slider", { name: "Chosen call" }).getAttribute("aria-valuetext");
  return Number(/of (\d+),/.exec(said ?? "")?.[1] ?? 0);
};

/** Milliseconds from a key to what it shows. */
async function answerMs(page: Page, key: string, view: string): Promise<number> {
  const start = performance.now();
  await page.keyboard.press(key);
  await page.locator(`.view-${view}`).waitFor({ timeout: 60_000 });
  return Math.round(performance.now() - start);
}

async function follow(calls: number, out: string | undefined): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-follow-"));
  const store = join(folder, "agents.db");
  const agent = startAgent(store, calls);
  const browser = await startChromium();
  try {
    while (agent.calls() < 3) await wait(200);
    const served = await servePage([store]);
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    await page.goto(served.url);
    await page.locator(".tabs").waitFor();
    let isOver = false;
    void agent.ended.then(() => {
      isOver = true;
    });
    let [shown, still] = [0, 0];
    while (!isOver || shown < agent.calls()) {
      await wait(LOOK_EVERY_MS);
      const now = { made: agent.calls(), shown: await shownCalls(page), keyMs: await answerMs(page, "2", "request") };
      await answerMs(page, "1", "timeline");
      process.stdout.write(`${JSON.stringify(now)}\n`);
      still = now.shown === shown && now.made > shown ? still + 1 : 0;
      if (still === STANDS_STILL) return false;
      shown = now.shown;
    }
    if (out !== undefined) await draw(page, out);
    await served.close();
    return true;
  } finally {
    agent.stop();
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function draw(page: Page, out: string): Promise<void> {
  mkdirSync(out, { recursive: true });
  for (const [at, view] of ["timeline", "request", "why", "gone", "plans", "bill", "integrity"].entries()) {
    const took = await answerMs(page, String(at + 1), view);
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: join(out, `${view}.png`) });
    process.stdout.write(`${JSON.stringify({ view, took })}\n`);
  }
}

const { values } = parseArgs({ options: { calls: { type: "string", default: "10000" }, out: { type: "string" } } });
const isFollowed = await follow(Number(values.calls), values.out);
process.stderr.write(isFollowed ? "The page shows every call.\n" : "The page stands still.\n");
process.exitCode = isFollowed ? 0 : 1;
