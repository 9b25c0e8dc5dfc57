import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findChromium } from "./chromium.ts";
import { STILL_READS } from "./followed-agent.ts";
import { runCommand, servePage, writePage } from "./inspect-command.ts";
import { recordedWork, work } from "./recorded-agent.ts";
import { BrowserBench } from "./testing/browser-page.ts";

const { isThere, note } = findChromium();
/** Stands in the bundled session, in many of its messages. */
const SAID = /compaction plan/i;

describe.skipIf(!isThere)(`what the page says of a thread that is not whole${note}`, () => {
  const bench = new BrowserBench();
  const stored = async (name: string): Promise<string> => {
    const store = bench.path(`${name}.db`);
    await work(await recordedWork(name, 120), { store, preset: "ladder", budget: 20_000 });
    return store;
  };

  it("of an erased one that it was erased, by whom and why, and nothing else", async () => {
    const store = await stored("erased");
    await runCommand("erase", "erased", "--store", store, "--yes", "--reason", "user-request");
    const url = await writePage([store, "erased", "--bodies", "all"], bench.path("erased.html"));
    const { page, complaints } = await bench.open(`${url}#/request?call=3`, "main");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("erased was erased");
    expect(await page.locator("main").textContent()).toContain("user-request");
    expect(await page.getByRole("button").count()).toBe(0);
    expect(await page.content()).not.toMatch(SAID);
    const pieces = await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('script[id]')].map(({ id }) => id)",
    );
    expect(pieces).toEqual(["threadfold-data", "index"]);
    expect(complaints).toEqual([]);
  });

  it("of one that is erased while somebody looks at it the same, and nothing of it is left in the page", async () => {
    const store = await stored("looked-at");
    const served = await servePage([store, "looked-at"]);
    const { page, complaints } = await bench.open(served.url);
    // What a page may have read by then: messages, a payload, what is gone, and last what stands where in the log.
    for (const view of ["why?message=3", "request?mode=payload", "gone?message=3", "search?query=compaction plan"]) {
      await page.goto(`${served.url}#/${view}`);
      await page.getByRole("main").getByText(STILL_READS).first().waitFor({ state: "hidden" });
    }
    await expect.poll(() => page.getByRole("main").textContent()).toMatch(SAID);
    await runCommand("erase", "looked-at", "--store", store, "--yes", "--reason", "user-request");
    // The document that read it is gone as well, with all that it kept.
    const opening = "performance.getEntriesByType('navigation')[0].type";
    await expect.poll(() => page.evaluate(opening).catch(() => ""), { timeout: 20_000 }).toBe("reload");
    await page.getByRole("heading", { name: "looked-at was erased" }).waitFor();
    expect(await page.locator("main").textContent()).toContain("user-request");
    expect(await page.getByRole("button").count()).toBe(0);
    expect(await page.title()).toBe("looked-at was erased");
    expect(page.url()).toBe(served.url);
    expect((await keptStrings(page)).filter((text) => SAID.test(text))).toEqual([]);
    const pieces = ["index", "bill", "gone", "search-3", "messages-0", "texts-0", "payloads-0", "log"];
    const answers = await page.evaluate<readonly (readonly [number, string])[]>(
      `Promise.all(${JSON.stringify(pieces)}.map(async (piece) => {
        const answer = await fetch(piece);
        return [answer.status, await answer.text()];
      }))`,
    );
    expect(answers.map(([status]) => status)).toEqual([200, 200, 200, 200, 404, 404, 404, 410]);
    expect(answers.filter(([, text]) => SAID.test(text))).toEqual([]);
    expect(complaints.filter((text) => !/404|410/.test(text))).toEqual([]);
    await served.close();
  });

  it("of a damaged one what is damaged and where, in every view, and shows what stands before it", async () => {
    const store = await stored("damaged");
    const database = new DatabaseSync(store);
    database.exec("DROP TRIGGER entries_no_update");
    database.exec("UPDATE entries SET body = replace(body, 'role', 'rule') WHERE version = 60");
    database.close();
    const url = await writePage([store, "damaged", "--bodies", "all"], bench.path("damaged.html"));
    const { page, complaints } = await bench.open(url);
    for (const view of ["timeline", "request", "why", "gone", "plans", "bill", "search"]) {
      await page.goto(`${url}#/${view}`);
      expect(await page.getByRole("alert").textContent(), view).toContain("the record does not verify");
    }
    await page.getByRole("button", { name: "See what is damaged, and where" }).click();
    const findings = page.locator(".findings");
    expect(await findings.textContent()).toMatch(/entries.*60/s);
    await page.goto(`${url}#/why?message=20`);
    await expect.poll(() => page.getByRole("region", { name: "Message 20" }).textContent()).toContain("What it says");
    expect(await page.getByRole("grid", { name: "Messages" }).getAttribute("aria-rowcount")).toMatch(/^5\d$/);
    expect(complaints).toEqual([]);
  });

  it("of the raw log that it is not in a redacted file, and has it where it is served", async () => {
    const store = await stored("redacted");
    const url = await writePage([store, "redacted", "--bodies", "all"], bench.path("redacted.html"));
    const { page } = await bench.open(`${url}#/integrity`);
    expect(await page.getByText("--bodies all --unredacted").count()).toBe(1);
    expect(await page.getByRole("button", { name: "Save the raw log" }).count()).toBe(0);
    const served = await servePage([store, "redacted"]);
    const { page: live } = await bench.open(`${served.url}#/integrity`);
    const [download] = await Promise.all([
      live.waitForEvent("download"),
      live.getByRole("button", { name: "Save the raw log" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("redacted.jsonl");
    await served.close();
  });
});

/** Every text that the document of a page keeps in memory, up to some length of each. */
async function keptStrings(page: Page): Promise<readonly string[]> {
  const inspector = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  inspector.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => chunks.push(chunk));
  await inspector.send("HeapProfiler.takeHeapSnapshot");
  const { strings } = JSON.parse(chunks.join("")) as { readonly strings: readonly string[] };
  return strings;
}
