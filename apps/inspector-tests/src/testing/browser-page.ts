import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe, { type AxeResults } from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { startChromium } from "../chromium.ts";

/** Milliseconds after which an action counts as hung, on any machine. */
const LONGEST_ACTION = 300_000;

/** A folder and a browser for the tests of a file. */
export class BrowserBench {
  #browser: Browser | undefined;
  #folder = "";
  readonly #contexts: BrowserContext[] = [];

  constructor() {
    beforeAll(async () => {
      // What a page shows does not depend on how lasting the disk below its store is.
      this.#folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-inspector-"));
      this.#browser = await startChromium();
    });
    // A page that stays open goes on working beside the next test.
    afterEach(async () => {
      for (const context of this.#contexts.splice(0)) await context.close();
    });
    afterAll(async () => {
      await this.#browser?.close();
      rmSync(this.#folder, { recursive: true, force: true });
    });
  }

  get browser(): Browser {
    if (this.#browser === undefined) throw new Error("The browser is not started.");
    return this.#browser;
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  /**
   * Opens a page, and records its errors and warnings and every request it makes.
   *
   * @param drawn selector of an element that exists once the page is drawn.
   */
  async open(url: string, drawn = ".tabs", options: BrowserContextOptions = {}): Promise<OpenedPage> {
    const context = await this.browser.newContext({ reducedMotion: "reduce", ...options });
    this.#contexts.push(context);
    const page = await context.newPage();
    // Laying out a megabyte of text takes a busy machine longer than the half minute for which the browser's driver
    // waits.
    page.setDefaultTimeout(LONGEST_ACTION);
    const complaints: string[] = [];
    const asked: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(url);
    await page.locator(drawn).first().waitFor();
    return { page, complaints, asked };
  }
}

interface OpenedPage {
  readonly page: Page;
  readonly complaints: string[];
  readonly asked: readonly string[];
}

/** What axe finds in the page as it is now, one line each; the page's policy has to be bypassed. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  // Writing down every element that is as it should be takes three times as long as looking at them.
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
