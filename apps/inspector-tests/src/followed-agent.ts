import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";
import { serveInProcess } from "./inspect-command.ts";
import { startAgent } from "./working-agent.ts";

/** The state of a working agent's page, measured since the previous look. */
export interface Look {
  /** Calls that the agent made; `shown` counts those that the page shows. */
  readonly made: number;
  readonly shown: number;
  readonly framesPerSecond: number;
  /** The longest time in which the page drew nothing. */
  readonly longestFrameMs: number;
  /** Time from pressing a key until another view is drawn. */
  readonly keyMs: number;
  /** JavaScript heap of the page in use. */
  readonly heapMb: number;
  /** Nodes of the document, including those that are no longer in it but still referenced. */
  readonly nodes: number;
  /** Data that the page read for each new call; null when there was none. */
  readonly kbPerCall: number | null;
}

/** The result of following an agent with a page. */
export interface Followed {
  readonly looks: readonly Look[];
  /**
   * Whether the page shows every call that the agent made. `isProved`: whether it says that each gives the recorded
   * bytes.
   */
  readonly isWhole: boolean;
  readonly isProved: boolean;
  /** Errors and warnings in the page. */
  readonly complaints: readonly string[];
  /** JavaScript heap of the page in use at the end, after all views were visited. */
  readonly heapMb: number;
  /** Milliseconds that each view takes at the end, from pressing a key until it is drawn and has read its data. */
  readonly viewMs: Readonly<Record<string, number>>;
}

/** Options for following an agent. */
export interface FollowOptions {
  readonly store: string;
  /** Calls that the agent makes. */
  readonly calls: number;
  readonly lookEveryMs: number;
  readonly onLook?: (look: Look) => void;
  /** A folder for screenshots of every view at the end. */
  readonly out?: string;
}

/** Number of looks without a new call, while the agent makes some, after which the page counts as stalled. */
const STANDS_STILL = 12;
/**
 * Number of looks at which the page shows all the agent's calls, after which it is done although the agent still checks
 * itself.
 */
const AT_REST = 3;
const VIEWS = ["timeline", "request", "why", "gone", "plans", "bill", "integrity", "search"] as const;

/** Starts a scripted agent, opens its page while it works, and looks at it until it shows the last call or stalls. */
export async function followAgent(browser: Browser, options: FollowOptions): Promise<Followed> {
  const agent = startAgent(options.store, options.calls);
  let isOver = false;
  void agent.ended.then(() => {
    isOver = true;
  });
  let close = async (): Promise<void> => undefined;
  try {
    while (agent.calls() < 3 && !isOver) await wait(100);
    const served = await serveInProcess([options.store]);
    close = () => served.close();
    const page = await FollowingPage.open(browser, served.url);
    const looks: Look[] = [];
    let [still, atRest] = [0, 0];
    while (still < STANDS_STILL && atRest < AT_REST && (!isOver || (looks.at(-1)?.shown ?? 0) < agent.calls())) {
      await wait(options.lookEveryMs);
      const look = await page.look(agent.calls());
      const isSame = look.shown === looks.at(-1)?.shown;
      still = isSame && look.made > look.shown ? still + 1 : 0;
      atRest = isSame && look.made === look.shown && look.made >= options.calls ? atRest + 1 : 0;
      looks.push(look);
      options.onLook?.(look);
    }
    const viewMs = await page.goThrough(options.out);
    const heapMb = await page.heapMb();
    const isProved = await page.isProved();
    const complaints = [...page.complaints];
    return { looks, isWhole: looks.at(-1)?.shown === agent.calls(), isProved, complaints, heapMb, viewMs };
  } finally {
    agent.stop();
    await close();
  }
}

/** Counts frames, and the longest pause between two, since it was last called. */
const COUNT_FRAMES = `
  let [frames, longest, since, last] = [0, 0, performance.now(), performance.now()];
  window.framesSince = () => {
    const now = performance.now();
    const counted = { frames: (1000 * frames) / (now - since), longest: Math.max(longest, now - last) };
    [frames, longest, since, last] = [0, 0, now, now];
    return counted;
  };
  const count = () => {
    const now = performance.now();
    frames++;
    longest = Math.max(longest, now - last);
    last = now;
    requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
`;

/** The longest that a view may take to read: the calls that needed what is gone are searched for in all of them. */
const READS_MS = 300_000;
/** The text that a view shows until it has read its data. */
export const STILL_READS = /(Reading|Looking for what is gone|Searching for it|searching)…/;

/** A page that follows an agent, and the DevTools session that measures it. */
class FollowingPage {
  readonly #page: Page;
  readonly #inspector: CDPSession;
  readonly complaints: string[] = [];
  #bytes = 0;
  #shown = 0;

  private constructor(page: Page, inspector: CDPSession) {
    this.#page = page;
    this.#inspector = inspector;
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    inspector.on("Network.loadingFinished", ({ encodedDataLength }) => {
      this.#bytes += encodedDataLength;
    });
  }

  static async open(browser: Browser, url: string): Promise<FollowingPage> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    const inspector = await page.context().newCDPSession(page);
    await inspector.send("Performance.enable");
    await inspector.send("Network.enable");
    const opened = new FollowingPage(page, inspector);
    await page.addInitScript(COUNT_FRAMES);
    await page.goto(url);
    await page.locator(".tabs").waitFor();
    opened.#shown = await opened.#shownCalls();
    opened.#bytes = 0;
    return opened;
  }

  /** Measures the page, goes to another view and comes back. */
  async look(made: number): Promise<Look> {
    const { frames, longest } = await this.#page.evaluate<{ frames: number; longest: number }>("framesSince()");
    const shown = await this.#shownCalls();
    const came = shown - this.#shown;
    const kbPerCall = came > 0 ? Math.round(this.#bytes / came / 102.4) / 10 : null;
    if (came > 0) this.#bytes = 0;
    this.#shown = shown;
    const keyMs = await this.#press("request");
    await this.#press("timeline");
    const heapMb = await this.heapMb();
    const { nodes } = await this.#inspector.send("Memory.getDOMCounters");
    await this.#page.evaluate("framesSince()");
    return {
      made,
      shown,
      framesPerSecond: Math.round(frames),
      longestFrameMs: Math.round(longest),
      keyMs,
      heapMb,
      nodes,
      kbPerCall,
    };
  }

  /** Visits all views, and takes screenshots of them when `out` is given. */
  async goThrough(out: string | undefined): Promise<Record<string, number>> {
    if (out !== undefined) mkdirSync(out, { recursive: true });
    const took: Record<string, number> = {};
    for (const view of VIEWS) {
      const start = performance.now();
      await this.#press(view);
      await this.#page.getByRole("main").getByText(STILL_READS).first().waitFor({ state: "hidden", timeout: READS_MS });
      took[view] = Math.round(performance.now() - start);
      if (out !== undefined) await this.#page.screenshot({ path: join(out, `${view}.png`) });
    }
    return took;
  }

  /** Checks whether the integrity view says that every request reproduces the recorded bytes. */
  async isProved(): Promise<boolean> {
    await this.#press("integrity");
    return (await this.#page.getByText("Every request, rendered again, matches the recorded bytes").count()) === 1;
  }

  async heapMb(): Promise<number> {
    await this.#inspector.send("HeapProfiler.collectGarbage");
    const { metrics } = await this.#inspector.send("Performance.getMetrics");
    const used = metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? Number.NaN;
    return Math.round(used / 1024 ** 2);
  }

  async #shownCalls(): Promise<number> {
    const said = await this.#page.getByRole("slider", { name: "Chosen call" }).getAttribute("aria-valuetext");
    return Number(/of (\d+),/.exec(said ?? "")?.[1] ?? 0);
  }

  async #press(view: (typeof VIEWS)[number]): Promise<number> {
    const start = performance.now();
    await this.#page.keyboard.press(String(VIEWS.indexOf(view) + 1));
    await this.#page.locator(`.view-${view}`).waitFor({ timeout: 60_000 });
    return Math.round(performance.now() - start);
  }
}
