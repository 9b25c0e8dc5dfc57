import { setTimeout as wait } from "node:timers/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "./chromium.ts";
import { followAgent } from "./followed-agent.ts";
import { servePage, writePage } from "./inspect-command.ts";
import { recordedWork, work, workAgain } from "./recorded-agent.ts";
import { BrowserBench } from "./testing/browser-page.ts";

const { isThere, note } = findChromium();

describe.skipIf(!isThere)(`the inspector's page${note}`, () => {
  const bench = new BrowserBench();
  /** Where the work of an agent is that came to its end; nothing is written there any more. */
  let worked = "";

  beforeAll(async () => {
    worked = bench.path("worked.db");
    await work(await recordedWork("worked"), { store: worked, preset: "ladder", budget: 30_000 });
  });

  it("leads from a folded message to why, to the request, to its price, and to the command that reverts", async () => {
    const url = await writePage([worked, "worked", "--bodies", "all"], bench.path("walk.html"));
    const { page, complaints, asked } = await bench.open(url);
    await walkThrough(page, "worked", worked);
    expect({ complaints, asked }).toEqual({ complaints: [], asked: [url] });
  });

  it("leads there as well while the agent works, and its calls go on coming", async () => {
    const store = bench.path("working.db");
    const steps = workAgain(await recordedWork("working"), { store, preset: "ladder", budget: 30_000 });
    for (let call = 0; call < 40; call++) await steps.next();
    const served = await servePage([store, "working"]);
    const { page, complaints, asked } = await bench.open(served.url);
    const working = workOn(steps);
    await walkThrough(page, "working", store);
    const calls = await working.stop();
    expect(calls).toBeGreaterThan(41);
    const strip = page.getByRole("slider", { name: "Chosen call" });
    await expect.poll(() => strip.getAttribute("aria-valuetext")).toContain(` of ${calls},`);
    expect(complaints).toEqual([]);
    expect(asked.filter((address) => !address.startsWith(served.url))).toEqual([]);
    await served.close();
  });

  it("follows an agent that works, and stays at the call that somebody looks at", async () => {
    const store = bench.path("live.db");
    const steps = workAgain(await recordedWork("live"), { store, preset: "threadfold", budget: 50_000 });
    for (let call = 0; call < 3; call++) await steps.next();
    const served = await servePage([store, "live"]);
    const { page, complaints } = await bench.open(served.url);
    const strip = page.getByRole("slider", { name: "Chosen call" });
    await expect.poll(() => strip.getAttribute("aria-valuetext")).toContain("call 3 of 3");
    await steps.next();
    await steps.next();
    await expect.poll(() => strip.getAttribute("aria-valuetext"), { timeout: 20_000 }).toContain("call 5 of 5");
    await page.keyboard.press("K");
    await steps.next();
    await expect.poll(() => strip.getAttribute("aria-valuetext"), { timeout: 20_000 }).toContain("call 4 of 6");
    await page.keyboard.press("2");
    await page.getByRole("button", { name: "Raw payload" }).click();
    await expect.poll(() => page.locator("pre.text").textContent()).toContain('"messages"');
    await steps.return(0);
    await served.close();
    await expect
      .poll(() => page.locator(".liveness", { hasText: "disconnected" }).count(), { timeout: 20_000 })
      .toBe(1);
    expect(complaints.filter((text) => !/ERR_|EventSource/.test(text))).toEqual([]);
  });

  it("asks search for the messages that are seen, and says of them what a file says", async () => {
    const served = await servePage([worked, "worked"]);
    const { page, asked, complaints } = await bench.open(`${served.url}#/gone`, ".gone-rows .row");
    const searched = (): readonly string[] => asked.filter((url) => url.includes("search-"));
    const rowsOf = (of: Page): Promise<readonly string[]> =>
      of.evaluate(
        "[...document.querySelectorAll('.gone-rows .rows-seen .row')].map((row) => row.children[0].textContent + ' ' + row.querySelector('.search-answer').textContent)",
      );
    const grid = page.getByRole("grid", { name: "What is gone" });
    const answers = async (): Promise<readonly string[]> => {
      await expect.poll(() => grid.getByText("searching…").count(), { timeout: 60_000 }).toBe(0);
      return rowsOf(page);
    };
    const first = await answers();
    expect(searched().length).toBe(first.length);
    expect(first.length).toBeLessThan(Number(await grid.getAttribute("aria-rowcount")) / 2);

    // More of them when they come into sight, and none twice.
    await page.evaluate("document.querySelector('.gone-rows').scrollTop = 900");
    await expect.poll(() => searched().length).toBeGreaterThan(first.length);
    const later = await answers();
    expect(new Set(searched()).size).toBe(searched().length);

    // What was needed, all of it, when somebody says so; a file has it from the start.
    await page.getByRole("button", { name: "search for all" }).click();
    const figure = (of: Page) => of.locator(".figure").filter({ hasText: "Of those, search finds" });
    await expect.poll(() => figure(page).textContent(), { timeout: 60_000 }).toContain("among its first ten results");
    const file = await writePage([worked, "worked", "--bodies", "all"], bench.path("gone.html"));
    const { page: written } = await bench.open(`${file}#/gone`, ".gone-rows .row");
    await expect.poll(() => figure(written).textContent()).toBe(await figure(page).textContent());
    await expect.poll(() => written.getByText("searching…").count()).toBe(0);
    const inFile = new Set<string>();
    for (const [scrolled, seen] of [
      [0, first],
      [900, later],
    ] as const) {
      await written.evaluate(`document.querySelector('.gone-rows').scrollTop = ${scrolled}`);
      // The list is drawn anew some time after it was scrolled.
      const last = numberIn(seen.at(-1) ?? "");
      await expect.poll(async () => (await rowsOf(written)).map(numberIn)).toContain(last);
      for (const row of await rowsOf(written)) inFile.add(row);
    }
    const known = [...first, ...later].filter((row) => !inFile.has(`${numberIn(row)} not run`));
    expect(known.length).toBeGreaterThan(30);
    for (const row of known) expect(inFile).toContain(row);
    expect(complaints).toEqual([]);
    await served.close();
  });

  it("adds up what was paid again, in tokens and in dollars, and what of it folds changed", async () => {
    const url = await writePage([worked, "worked", "--model", "claude-sonnet-5"], bench.path("bill.html"));
    const { page } = await bench.open(`${url}#/bill`, ".view-bill table");
    const [misses, folds] = await page.evaluate<readonly (readonly (readonly string[])[])[]>(
      "[...document.querySelectorAll('.view-bill table')].map(({ rows }) => [...rows].map(({ cells }) => [...cells].map(({ textContent }) => textContent)))",
    );
    const column = (table: typeof misses, title: string): readonly number[] => {
      const at = table?.[0]?.indexOf(title) ?? -1;
      return (table ?? []).slice(1).map((cells) => Number((cells[at] ?? "").replace(/[$,]/g, "") || Number.NaN));
    };
    const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
    for (const [table, titles] of [
      [misses, ["Times", "Tokens", "Extra cost"]],
      [folds, ["Calls", "Paid again", "Dollars", "Saved"]],
    ] as const)
      for (const title of titles) {
        const values = column(table, title);
        expect(values.length).toBeGreaterThan(2);
        // Each row is rounded by itself, and so is their sum.
        const slack = ["Extra cost", "Dollars"].includes(title) ? 0.005 * values.length : 0;
        expect(Math.abs(sum(values.slice(0, -1)) - (values.at(-1) ?? Number.NaN)), title).toBeLessThanOrEqual(slack);
      }
    const byFolds = misses?.find(([cause]) => cause === "changed by a fold")?.slice(2);
    expect(folds?.at(-1)?.slice(5, 7)).toEqual(byFolds);
  });

  it("follows a scripted agent in a process of its own to its end, reads little for each call, and proves them all", async () => {
    const followed = await followAgent(bench.browser, {
      store: bench.path("scripted.db"),
      calls: 300,
      lookEveryMs: 300,
    });
    expect(followed).toMatchObject({ isWhole: true, isProved: true, complaints: [] });
    // It was opened while the agent worked, and read what was new: the whole index of this thread is some hundred kilobytes.
    const read = followed.looks.flatMap(({ kbPerCall }) => (kbPerCall === null ? [] : [kbPerCall]));
    expect(read.length).toBeGreaterThan(1);
    expect(Math.max(...read)).toBeLessThan(10);
    // At each look another view was drawn, and nothing of it stayed: two views together have some two thousand nodes.
    expect(Math.max(...followed.looks.map(({ nodes }) => nodes))).toBeLessThan(4_000);
  });
});

/** The number of a message in a row of what is gone. */
const numberIn = (row: string): string => row.replace(/ .*/, "");

/** The walk that the page is for, from what a model no longer sees to the command that brings it back. */
async function walkThrough(page: Page, thread: string, store: string): Promise<void> {
  // Open, and find a folded message.
  await page.getByRole("button", { name: /^Gone/ }).click();
  await page.getByRole("grid", { name: "What is gone" }).getByRole("row").nth(1).click();
  await page.getByRole("button", { name: "Its full trail" }).click();
  expect(page.url()).toMatch(/#\/why\?.*message=\d+/);

  // Learn why: the rung, the rule, and the tokens before and after.
  const trail = page.getByRole("region", { name: /^Message \d+$/ });
  await expect.poll(() => trail.locator(".steps li").count()).toBeGreaterThan(1);
  expect(await trail.locator(".steps").textContent()).toMatch(/Rung \S+,.*→/s);

  // What search would give for it, and the command that reverts.
  await expect.poll(() => trail.textContent()).toMatch(/search_thread( returns it as result \d+| does not find it)/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await trail.getByRole("button", { name: "Copy the command that reverts" }).click();
  const command = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(command).toMatch(/^threadfold revert \S+ \d+ --store \S+$/);
  expect(command.split(" ")[2]).toBe(thread);
  expect(command.split(" ").at(-1)).toBe(store);

  // The request of the call that folded it, its difference and its price.
  await trail
    .locator(".steps li")
    .last()
    .getByRole("button", { name: /^from call/ })
    .click();
  await expect.poll(() => page.getByRole("main").getByText("It diverges at byte").count()).toBe(1);
  expect(await page.locator(".main > .notice").textContent()).toMatch(
    /cached tokens became useless, at a cost of [\d,]+ input/,
  );
  await page.getByRole("button", { name: "Model view" }).click();
  const request = page.getByRole("grid", { name: /^Request of call/ });
  await expect.poll(() => request.getByRole("row").count()).toBeGreaterThan(3);
}

/** Lets an agent make a call every now and then, until it is stopped. */
function workOn(steps: AsyncGenerator<number>): { stop(): Promise<number> } {
  let [calls, isStopped] = [0, false];
  const working = (async () => {
    while (!isStopped) {
      const { value, done } = await steps.next();
      if (done) break;
      calls = value;
      await wait(CALL_EVERY_MS);
    }
    await steps.return(undefined);
  })();
  return {
    /** Gives how many calls it has made. */
    async stop() {
      isStopped = true;
      await working;
      return calls;
    },
  };
}

const CALL_EVERY_MS = 100;
