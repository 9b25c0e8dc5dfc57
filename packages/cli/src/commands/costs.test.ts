import { asMessageId, asThreadId, type MessageInput, modelRow, type Usage } from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
import { openStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

interface Totals {
  readonly calls: number;
  readonly uncachedTokens: number;
  readonly readTokens: number;
  readonly writtenTokens: number;
  readonly outputTokens: number;
  readonly summaryCalls: number;
  readonly dollars: number | null;
  readonly unpricedCalls: number;
}

interface Costs {
  readonly rows: readonly (Totals & { readonly day?: string; readonly thread?: string; readonly model?: string })[];
  readonly totals: Totals;
  readonly unpricedModels: readonly (string | null)[];
}

/** A thread with one call at each time, and as much usage as said. */
async function calls(threadId: string, model: string | undefined, times: readonly string[], usage: Usage) {
  const store = await openStore(bench.store);
  let now = times[0] ?? "";
  const session = await ContextSession.open({
    ...{ threadId, store, format: formatById("anthropic"), clock: { now: () => Date.parse(now) } },
    ...(model !== undefined && { model }),
  });
  const message = (id: string, role: "user" | "assistant"): MessageInput => ({
    ...{
      id: asMessageId(`${id} at ${now}`),
      role,
      createdAt: now,
      parts: [{ type: "text", text: `Say ${id}. `.repeat(2_000) }],
    },
  });
  for (const [index, time] of times.entries()) {
    now = time;
    await session.append([message(`u${index}`, "user")]);
    await session.prepare();
    await session.complete({ messages: [message(`a${index}`, "assistant")], usage });
  }
  await store.close();
}

const FIRST = "2026-11-01T23:58:00.000Z";
const LATER = "2026-11-02T00:01:00.000Z";

async function fillStore() {
  const cached = { inputTokens: 9_000, outputTokens: 500, cacheReadTokens: 6_000, cacheWriteTokens: 2_000 };
  await calls("known", "claude-sonnet-5", [FIRST, LATER], cached);
  await calls("other", "claude-opus-5", [LATER], { inputTokens: 4_000, outputTokens: 100 });
  await calls("odd", "nobody-knows-1", [FIRST], { inputTokens: 1_000, outputTokens: 10 });
  const store = await openStore(bench.store);
  const asked = {
    type: "summaries-asked",
    outcome: "committed",
    summarizer: "model",
    model: "claude-sonnet-5",
  } as const;
  const record = { ...asked, calls: 2, inputTokens: 30_000, outputTokens: 1_000 };
  await store.journal.append(asThreadId("known"), record, LATER);
  await store.close();
}

const costs = async (...argv: readonly string[]): Promise<Costs> => {
  const { code, envelope } = await json(["costs", ...argv, "--store", bench.store]);
  expect(code).toBe(0);
  return envelope.data as Costs;
};

/** What `bill` says of a thread. */
const billed = async (threadId: string) => {
  const { envelope } = await json(["bill", threadId, "--store", bench.store]);
  return (envelope.data as { totals: Totals & { inputTokens: number } }).totals;
};

const sum = (rows: readonly Totals[], name: keyof Totals) => rows.reduce((all, row) => all + (row[name] ?? 0), 0);

describe("threadfold costs", () => {
  it("adds up to the bills of all threads, whatever it is put together by", async () => {
    await fillStore();
    const bills = await Promise.all(["known", "other", "odd"].map(billed));
    for (const by of ["day", "thread", "model", "day,thread", "model,thread,day"]) {
      const { rows, totals } = await costs("--by", by);
      for (const name of ["calls", "uncachedTokens", "readTokens", "writtenTokens", "outputTokens"] as const) {
        expect([by, name, sum(rows, name)]).toEqual([by, name, sum(bills, name)]);
        expect(totals[name]).toBe(sum(bills, name));
      }
      expect(totals.dollars).toBeGreaterThan(0);
      expect(sum(rows, "dollars")).toBeCloseTo(sum(bills, "dollars"), 10);
      expect(totals.dollars).toBeCloseTo(sum(bills, "dollars"), 10);
    }
    const { rows } = await costs("--by", "thread");
    const known = rows.find(({ thread }) => thread === "known");
    expect(known?.dollars).toBeCloseTo(bills[0]?.dollars ?? Number.NaN, 10);
    expect(known).toMatchObject({ calls: 2, readTokens: 12_000, writtenTokens: 4_000, uncachedTokens: 2_000 });
    expect(known).toMatchObject({ outputTokens: 1_000, summaryCalls: 2, unpricedCalls: 0 });
  });

  it("tells what the provider's own compactions took, in every bill alike", async () => {
    await fillStore();
    const store = await openStore(bench.store);
    const compacted = { type: "summaries-asked", by: "provider", summarizer: "anthropic-messages", calls: 1 } as const;
    const read = { inputTokens: 100_000, cacheReadTokens: 90_000, outputTokens: 2_000, model: "claude-sonnet-5" };
    const at = "2026-11-02T00:00:30.000Z";
    await store.journal.append(asThreadId("other"), { ...compacted, ...read }, at);
    const counted = { ...compacted, inputTokens: 7_000, outputTokens: 0, reported: false } as const;
    await store.journal.append(asThreadId("odd"), { ...counted, model: "nobody-knows-1" }, at);
    await store.close();
    const { totals, rows } = await costs("--by", "model");
    const bills = await Promise.all(["known", "other", "odd"].map(billed));
    const [known] = bills;
    expect(totals).toMatchObject({ compactions: 2, compactionInputTokens: 107_000, compactionOutputTokens: 2_000 });
    expect(totals.dollars).toBeCloseTo(sum(bills, "dollars"), 10);
    const sonnet = rows.find(({ model }) => model === "claude-sonnet-5");
    const { inputPrice = 0, outputPrice = 0 } = modelRow("claude-sonnet-5") ?? {};
    const ofCompaction = (19_000 * inputPrice + 2_000 * outputPrice) / 1e6;
    expect(sonnet?.dollars).toBeCloseTo((known?.dollars ?? Number.NaN) + ofCompaction, 10);
    const page = await captureRun(["costs", "--store", bench.store]);
    expect(page.stdout).toMatch(/2 compactions by\s+the provider, of 107,000 tokens in and 2,000 out\./);
    const bill = await captureRun(["bill", "other", "--store", bench.store]);
    expect(bill.stdout).toMatch(/claude-sonnet-5 +compaction +1 +100,000 +90,000 +2,000 +\$\d\.\d{4} +-/);
    const unreported = await captureRun(["bill", "odd", "--store", bench.store]);
    expect(unreported.stdout).toMatch(/nobody-knows-1 +compaction +1 +~7,000 +- +0 +- +-/);
    expect(unreported.stdout).toContain("Figures marked ~ were not reported by a provider");
    await calls("other", "claude-opus-5", ["2026-11-02T00:02:00.000Z"], { inputTokens: 400, outputTokens: 1 });
    const seen = await captureRun(["context", "other", "--store", bench.store]);
    expect(seen.stdout).toContain(
      "before it, a compaction by the provider took 100,000 tokens in (90,000 of them cached) and 2,000 out: $0.",
    );
    const before = await captureRun(["context", "other", "--call", "1", "--store", bench.store]);
    expect(before.stdout).not.toContain("compaction");
  });

  it("says which prices are not known, and counts no dollar for them", async () => {
    await fillStore();
    const { rows, totals, unpricedModels } = await costs("--by", "model");
    expect(unpricedModels).toEqual(["nobody-knows-1"]);
    expect(rows.find(({ model }) => model === "nobody-knows-1")).toMatchObject({ dollars: 0, unpricedCalls: 1 });
    expect(totals.unpricedCalls).toBe(1);
    expect((await billed("odd")).dollars).toBeNull();
    const { stdout } = await captureRun(["costs", "--store", bench.store]);
    expect(stdout).toContain("The price of 1 call is not known (nobody-knows-1)");
    expect(stdout).toMatch(/^2026-11-01 +odd +1 +0 +0 +1,000 +10 +-$/m);
    expect(stdout).toMatch(/^total .*\$\d+\.\d{4}\+$/m);
    expect(stdout).toContain("2 calls for summaries, of 30,000 tokens in and 1,000 out.");
  });

  it("cuts by days in UTC and changes no call by it, and prices calls without a model as one that is named", async () => {
    await fillStore();
    await calls("unnamed", undefined, [LATER], { inputTokens: 4_000, outputTokens: 100 });
    const whole = await costs();
    const later = await costs("--since", "2026-11-02");
    expect(whole.rows.map(({ day, thread }) => [day, thread])).toEqual([
      ...[
        ["2026-11-01", "known"],
        ["2026-11-01", "odd"],
        ["2026-11-02", "known"],
        ["2026-11-02", "other"],
      ],
      ["2026-11-02", "unnamed"],
    ]);
    expect(later.rows).toEqual(whole.rows.filter(({ day }) => day === "2026-11-02"));
    expect(later.unpricedModels).toEqual([null]);
    const priced = await costs("--since", "2026-11-02", "--by", "model", "--model", "claude-opus-5");
    expect(priced.unpricedModels).toEqual([]);
    expect(priced.rows.find(({ model }) => model === "claude-opus-5")).toMatchObject({ calls: 2 });
    const { stdout } = await captureRun(["costs", "--since", "2027-01-01", "--store", bench.store]);
    expect(stdout).toBe("No call was recorded.\n");
  });

  it.each([
    [["--by", "week"], "--by"],
    [["--by", "day,"], "--by"],
    [["--since", "yesterday"], "--since"],
    [["--since", "2026-02-31"], "--since"],
  ])("refuses %j", async (argv, name) => {
    await fillStore();
    const { code, envelope } = await json(["costs", ...argv, "--store", bench.store]);
    expect([code, envelope.error?.code]).toEqual([2, "USAGE"]);
    expect(envelope.error?.message).toContain(name);
  });
});
