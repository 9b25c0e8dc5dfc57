import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promptsPage } from "@threadfold/inspector";
import { beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "./chromium.ts";
import { HOSTILE_TEXTS } from "./hostile-work.ts";
import { runCommand } from "./inspect-command.ts";
import { axeFindings, BrowserBench } from "./testing/browser-page.ts";

const { isThere, note } = findChromium();
const SESSION = fileURLToPath(new URL("../../../examples/sessions/a-day-on-threadfold.jsonl", import.meta.url));

describe.skipIf(!isThere)(`what the page compares${note}`, () => {
  const bench = new BrowserBench();
  let simulated = "";

  beforeAll(async () => {
    const [path, session] = [bench.path("simulated.html"), bench.path("morning.jsonl")];
    // Half of the session has folds under every preset, and takes a third of the time.
    const lines = readFileSync(SESSION, "utf8").split("\n");
    writeFileSync(session, lines.slice(0, lines.length / 2).join("\n"));
    const presets = ["--preset", "threadfold,claude-code,codex,opencode", "--policy", "no-compaction"];
    await runCommand("simulate", session, ...presets, "--budget", "30k", "--html", path);
    simulated = `file://${path}`;
  });

  it("presets against each other, and leads from there to the folds of a session", async () => {
    const { page, complaints, asked } = await bench.open(simulated);
    const table = page.getByRole("table").first();
    await expect.poll(() => table.getByRole("row").count()).toBe(6);
    await table.getByRole("button", { name: "claude-code" }).click();
    expect(await table.locator("tr.chosen").textContent()).toMatch(/^claude-code/);
    expect(await page.getByText("claude-code is the bold line").count()).toBe(1);
    await page.getByRole("button", { name: "plan 2", exact: true }).click();
    await expect.poll(() => page.url()).toContain("#/plans?plans=1-2");
    await page.getByRole("button", { name: /^first sent with call/ }).click();
    await expect.poll(() => page.getByText("It diverges at byte").count()).toBe(1);
    await page.keyboard.press("9");
    await expect.poll(() => page.url()).toContain("#/presets");
    expect({ complaints, asked }).toEqual({ complaints: [], asked: [simulated] });
  });

  it("presets by name, where no name covers a point or another name", async () => {
    for (const width of [1440, 420]) {
      const { page } = await bench.open(simulated, ".point", { viewport: { width, height: 900 } });
      const covered = await page.evaluate<readonly string[]>(`(() => {
        const boxOf = (element) => [element.parentElement.querySelector("title").textContent, element.getBoundingClientRect()];
        const names = [...document.querySelectorAll(".point text")].map(boxOf);
        const points = [...document.querySelectorAll(".point circle")].map(boxOf);
        const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        return names.flatMap(([name, box], at) =>
          [...names.slice(at + 1), ...points].filter(([, other]) => meet(box, other)).map(([other]) => name + " " + other));
      })()`);
      expect(covered, `${width} pixels wide`).toEqual([]);
      expect(await page.locator(".point.chosen text").count()).toBe(1);
    }
  });

  it("plans by the requests that they left, as bars of one scale", async () => {
    const { page } = await bench.open(`${simulated}#/plans`, ".plan-rows .row");
    const bars = await page.evaluate<readonly (readonly [left: string, share: number])[]>(
      `[...document.querySelectorAll(".plan-rows .rows-seen .row")].map((row) => {
        const bar = row.querySelector(".share-bar");
        const parts = [...bar.children].map((part) => Number.parseFloat(part.style.width));
        return [row.querySelector(".cut").textContent.split("→")[1].trim(), parts.reduce((sum, part) => sum + part, 0)];
      })`,
    );
    expect(bars.length).toBeGreaterThan(2);
    const largest = Math.max(...bars.map(([, share]) => share));
    expect(largest).toBeCloseTo(100, 0);
    // What is written is rounded to a thousand tokens.
    const tokens = bars.map(([left]) => Number(left.replace("k", "")));
    for (const [at, [, share]] of bars.entries())
      expect(share / largest).toBeCloseTo((tokens[at] ?? 0) / Math.max(...tokens), 1);
  });

  for (const [name, options] of [
    ["in light colours", { colorScheme: "light" }],
    ["in dark colours, on a narrow screen", { colorScheme: "dark", viewport: { width: 420, height: 860 } }],
  ] as const)
    it(`axe finds nothing ${name}`, async () => {
      for (const url of [simulated, await pairPage()]) {
        const { page } = await bench.open(url, "main", { ...options, bypassCSP: true });
        expect(await axeFindings(page)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(
          0,
        );
      }
    });

  async function pairPage(): Promise<string> {
    const same = Array.from({ length: 50 }, (_, line) => `line ${line}`).join("\n");
    const files = [
      { name: "prompt.md", before: `${same}\nthe golden one\n${same}`, after: `${same}\nthe new one\n${same}` },
      { name: "plan.json", before: null, after: HOSTILE_TEXTS.join("\n") },
    ];
    const pair = { name: "a prompt", findings: ["diverged at message 1"], accept: "npx vitest run -u", files };
    writeFileSync(bench.path("pair.html"), await promptsPage(pair));
    return `file://${bench.path("pair.html")}`;
  }

  it("two prompts beside each other, at the first difference, whatever is in them", async () => {
    const url = await pairPage();
    const { page, complaints, asked } = await bench.open(url, "main");
    const changed = page.locator("tr.changed");
    expect(await changed.count()).toBe(1);
    expect(await changed.textContent()).toBe("51the golden one51the new one");
    expect(await changed.isVisible()).toBe(true);
    await page.getByRole("button", { name: "44 identical lines" }).first().click();
    await expect.poll(() => page.locator("tr.same").count()).toBe(56);
    await page.getByRole("button", { name: "plan.json" }).click();
    await expect.poll(() => changed.count()).toBe(HOSTILE_TEXTS.length);
    expect(await page.evaluate("window.hostile")).toBeUndefined();
    expect({ complaints, asked }).toEqual({ complaints: [], asked: [url] });
  });
});
