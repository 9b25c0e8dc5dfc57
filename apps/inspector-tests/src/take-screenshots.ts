// Takes screenshots of every view: `npm run screenshots -w @threadfold/inspector-tests -- FOLDER`, with `--messages N`
// for a longer thread than the bundled session, `--preset NAME` and `--budget TOKENS` for how it is folded, and
// `--presets` to compare presets, which takes minutes. Screens are wide, dark and narrow; the documentation's pictures
// come from here.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { startChromium } from "./chromium.ts";
import { STILL_READS } from "./followed-agent.ts";
import { writePage } from "./inspect-command.ts";
import { recordedWork, work } from "./recorded-agent.ts";

/** The views to draw, with a call from the middle where one is chosen. */
const placesAt = (call: number): Readonly<Record<string, string>> => ({
  timeline: `timeline?call=${call}`,
  request: `request?call=${call}`,
  log: `request?call=${call}&mode=log&message=40`,
  difference: `request?call=${call}&mode=difference`,
  payload: `request?call=${call}&mode=payload`,
  why: "why?message=12",
  gone: "gone?message=110",
  plans: "plans",
  bill: "bill",
  integrity: "integrity",
  search: "search?query=normalize",
});

const SCREENS: Readonly<Record<string, BrowserContextOptions>> = {
  wide: { viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
  narrow: { viewport: { width: 420, height: 860 }, colorScheme: "light" },
};

async function drawAll(
  browser: Browser,
  url: string,
  folder: string,
  places: ReturnType<typeof placesAt>,
): Promise<void> {
  for (const [screen, options] of Object.entries(SCREENS)) {
    const page = await browser.newPage({ ...options, reducedMotion: "reduce" });
    // There is no limit to how long a busy machine may take to open a long thread.
    page.setDefaultTimeout(0);
    for (const [name, place] of Object.entries(places)) {
      await page.goto(`${url}#/${place}`);
      await page.reload();
      await page.locator(`.view-${place.split("?")[0]}`).waitFor();
      await page.waitForLoadState("load");
      await page.getByRole("main").getByText(STILL_READS).first().waitFor({ state: "hidden" });
      await page.screenshot({ path: join(folder, `${name}-${screen}.png`) });
    }
    await page.close();
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: "string" },
    presets: { type: "boolean", default: false },
    preset: { type: "string", default: "ladder" },
    budget: { type: "string", default: "40000" },
  },
});
const folder = resolve(positionals[0] ?? "screenshots");
const most = values.messages === undefined ? undefined : Number(values.messages);
const own = mkdtempSync(join(tmpdir(), "threadfold-screenshots-"));
mkdirSync(folder, { recursive: true });
// Commands in the page name the store as given here: without a folder of this machine.
process.chdir(own);
const store = "threads.db";
const recorded = await recordedWork("a-day-on-threadfold", most);
await work(recorded, {
  store,
  preset: values.preset,
  budget: Number(values.budget),
});
const compared = values.presets ? ["--presets", "--budget", values.budget] : [];
const url = await writePage(
  [store, "a-day-on-threadfold", "--bodies", "all", "--model", "claude-sonnet-5", ...compared],
  join(own, "page.html"),
);
const browser = await startChromium();
const calls = recorded.messages.filter(({ role }) => role === "assistant").length;
const places = placesAt(Math.floor(calls / 2) + 1);
await drawAll(browser, url, folder, values.presets ? { ...places, presets: "presets" } : places);
await browser.close();
rmSync(own, { recursive: true });
