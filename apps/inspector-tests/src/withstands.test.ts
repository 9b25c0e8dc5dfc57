import { asMessageId } from "@threadfold/core";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findChromium } from "./chromium.ts";
import { HOSTILE_TEXTS, hostileWork } from "./hostile-work.ts";
import { writePage } from "./inspect-command.ts";
import { work } from "./recorded-agent.ts";
import { BrowserBench } from "./testing/browser-page.ts";

const { isThere, note } = findChromium();
const VIEWS = ["timeline", "request", "why", "gone", "plans", "bill", "integrity", "search"];

/** Unfolds what is in the first rows of the list that is shown. */
async function unfoldRows(page: Page, rows: number): Promise<void> {
  for (let row = 0; row < rows; row++) {
    await page.keyboard.press("]");
    await page.keyboard.press("j");
  }
}

/** Returns the texts on a page, and the names of its controls, in which a character controls how the others are shown. */
const turnedTexts = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const controls = /[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]/;
    const texts = [...document.body.querySelectorAll("*:not(script)")].flatMap((element) => [
      ...[...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data),
      ...["title", "aria-label"].map((name) => element.getAttribute(name) ?? ""),
    ]);
    return texts.filter((text) => controls.test(text)).map((text) => JSON.stringify(text.slice(0, 80)));
  })()`);

describe.skipIf(!isThere)(`R36 what the page withstands${note}`, () => {
  const bench = new BrowserBench();

  it("no content runs, leaves, or asks for anything, wherever it is shown", async () => {
    const store = bench.path("hostile.db");
    const threadId = "</script><img src=x onerror=window.hostile=1>";
    await work(hostileWork(threadId), { store, preset: "ladder", budget: 12_000 });
    const url = await writePage([store, threadId, "--bodies", "all"], bench.path("hostile.html"));
    const { page, complaints, asked } = await bench.open(url);
    page.on("dialog", () => complaints.push("a dialog"));
    const turned: string[] = [];
    for (const view of VIEWS) {
      await page.goto(`${url}#/${view}?message=4&query=hostile`);
      await page.locator(`.view-${view}`).waitFor();
      await unfoldRows(page, 4);
      turned.push(...(await turnedTexts(page)).map((text) => `${view}: ${text}`));
    }
    for (const mode of ["request", "log", "difference", "payload"]) {
      await page.goto(`${url}#/request?mode=${mode}`);
      await unfoldRows(page, HOSTILE_TEXTS.length);
      await page.locator("pre.text").first().waitFor();
      turned.push(...(await turnedTexts(page)).map((text) => `${mode}: ${text}`));
    }
    expect(turned).toEqual([]);
    expect(await page.evaluate("window.hostile")).toBeUndefined();
    expect(page.url().startsWith(url)).toBe(true);
    expect({ complaints, asked }).toEqual({ complaints: [], asked: [url] });
    expect(await page.locator("img, iframe, base, form:not([method=dialog])").count()).toBe(0);
    expect(await page.locator("script:not([type])").count()).toBe(1);
  });

  it("the policy of the page would stop what a mistake of ours let through", async () => {
    const store = bench.path("policy.db");
    await work(hostileWork("policy"), { store, preset: "threadfold", budget: 100_000 });
    const { page } = await bench.open(await writePage([store, "policy"], bench.path("policy.html")));
    const outcome = await page.evaluate<readonly string[]>(`(() => {
      const tried = (name, act) => { try { act(); return name + " went on"; } catch (error) { return name + " " + error.name; } };
      const script = document.createElement("script");
      return [
        tried("markup", () => document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=window.hostile=1>")),
        tried("script", () => { script.text = "window.hostile=1"; document.body.append(script); }),
        tried("frame", () => { const frame = document.createElement("iframe"); frame.srcdoc = "x"; }),
      ];
    })()`);
    expect(outcome).toEqual(["markup TypeError", "script TypeError", "frame TypeError"]);
    expect(await page.evaluate("fetch('https://hostile.invalid/').then(() => 'went', () => 'stopped')")).toBe(
      "stopped",
    );
    expect(await page.evaluate("window.hostile")).toBeUndefined();
  });

  it("nothing above 64 KB is formatted before somebody asks", async () => {
    const text = JSON.stringify(Array.from({ length: 60_000 }, (_, index) => ({ index })));
    const messages = [
      {
        id: asMessageId("large"),
        createdAt: "2026-03-01T12:00:00.000Z",
        role: "user" as const,
        parts: [{ type: "text" as const, text }],
      },
      {
        id: asMessageId("answer"),
        createdAt: "2026-03-01T12:00:01.000Z",
        role: "assistant" as const,
        parts: [{ type: "text" as const, text: "Large." }],
      },
    ];
    const store = bench.path("large.db");
    await work({ threadId: "large", messages }, { store, preset: "threadfold", budget: 2_000_000 });
    const url = await writePage([store, "large", "--bodies", "all"], bench.path("large.html"));
    const { page } = await bench.open(`${url}#/why?message=0`);
    const shown = page.locator(".trail pre.text");
    await expect.poll(async () => (await shown.textContent())?.length).toBe(64 * 1024);
    await page.getByRole("button", { name: /^Show all/ }).click();
    await expect.poll(async () => (await shown.textContent())?.length).toBe(text.length);
  });
});
