import {
  type BillTotals,
  type CacheBill,
  cacheBill,
  type FoldBill,
  type InsteadBill,
  type KeepAliveAdvice,
  type SummaryBill,
} from "@threadfold/core";
import type { CliCommand } from "../command/cli-command.ts";
import { count, figure, type Page, percent, plainText, table, wrap } from "../output/page.ts";
import { PRICED_MODEL_OPTION, parsePricedModel, STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { maybeSealedThread } from "../store/stored-thread.ts";

/** `bill`: says what a thread's calls cost and for what, according to its journal. */
export const billCommand: CliCommand = {
  arguments: [{ name: "threadId", description: "id of the thread whose calls are billed" }],
  options: [STORE_OPTION, PRICED_MODEL_OPTION],
  examples: [
    "bill my-thread --store sessions.db",
    "bill my-thread --store sessions.db --model claude-sonnet-5",
    "bill my-thread --store sessions.db --json",
  ],
  run({ arguments: [threadId = ""], options }, { io }) {
    const model = parsePricedModel(options);
    return readingStore(options, io.env, async (store) => {
      const thread = await maybeSealedThread(store, threadId);
      const entries = await store.journal.read(thread.id);
      const bill = cacheBill(entries, model === undefined ? {} : { model });
      return { data: { threadId: thread.id, ...bill }, text: (page: Page) => billPage(bill, page) };
    });
  },
};

function billPage(bill: CacheBill, page: Page): string {
  const { totals } = bill;
  if (totals.calls === 0) return "No request of this thread was handed out.";
  const sections = [
    totalsSection(totals, page),
    section("Paid for again, by cause", missRows(bill), page),
    section("Folds", foldRows(bill.folds), page),
    section("Summaries by a model, and compactions by the provider", summaryRows(bill.summaries), page),
    section("The same calls by the provider's rules, input only", insteadRows(bill.instead), page),
    wrap(
      [countedNote(bill.summaries), recallNote(bill.recall), keepAliveNote(bill.keepAlive)].join(" ").trim(),
      page.columns,
    ).join("\n"),
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

/** Formats an amount in dollars; a dash when the price is not known. */
const money = (dollars: number | null): string => (dollars === null ? "-" : `$${dollars.toFixed(4)}`);

function totalsSection(totals: BillTotals, { paint, columns }: Page): string {
  const { calls, reported, notRecorded, inputTokens, outputTokens, readTokens, dollars } = totals;
  const price = dollars === null ? "prices of the model are not known; name it with --model" : money(dollars);
  const head = paint("bold", `${count(calls, "call")}: ${price}`);
  const tokens = `${figure(inputTokens)} tokens in, ${percent(readTokens, inputTokens)} of them read from the cache, and ${figure(outputTokens)} out; ${figure(totals.bill)} input-token equivalents in all.`;
  const isReported =
    reported === calls
      ? ""
      : `${count(calls - reported, "call")} without reported usage, billed by the provider's rules.`;
  const isRecorded =
    notRecorded === 0 ? "" : `For ${count(notRecorded, "call")}, what the cache could hold was not recorded.`;
  return [head, ...wrap([tokens, isReported, isRecorded].join(" ").trim(), columns)].join("\n");
}

/** A table under a heading; empty when there are no rows. The first row contains the column names. */
function section(heading: string, [head, ...rows]: readonly (readonly string[])[], { paint }: Page): string {
  if (head === undefined || rows.length === 0) return "";
  const alignments = head.map((_, column) => (column === 0 ? ("left" as const) : ("right" as const)));
  return [paint("bold", heading), ...table([head, ...rows], alignments).map((line) => `  ${line}`)].join("\n");
}

const missRows = ({ misses }: CacheBill): readonly (readonly string[])[] => [
  ["cause", "times", "tokens", "dollars"],
  ...misses.map(({ cause, misses: times, tokens, dollars }) => [cause, figure(times), figure(tokens), money(dollars)]),
];

const foldRows = (folds: readonly FoldBill[]): readonly (readonly string[])[] => [
  ["plan", "calls", "missed", "dollars", "saved"],
  ...folds.map(({ planVersion, calls, missedTokens, missedDollars, sparedTokens }) => [
    String(planVersion),
    figure(calls),
    figure(missedTokens),
    money(missedDollars),
    figure(sparedTokens),
  ]),
];

const summaryRows = (summaries: readonly SummaryBill[]): readonly (readonly string[])[] => [
  ["model", "for", "calls", "in", "cached", "out", "dollars", "plan"],
  ...summaries.map(({ by, model, summarizer, calls, inputTokens, cacheReadTokens, reported, ...asked }) => [
    plainText(model ?? summarizer),
    by === "provider" ? "compaction" : "summary",
    figure(calls),
    `${reported === false ? "~" : ""}${figure(inputTokens)}`,
    cacheReadTokens === undefined ? "-" : figure(cacheReadTokens),
    figure(asked.outputTokens),
    money(asked.dollars),
    asked.planVersion === undefined ? "-" : String(asked.planVersion),
  ]),
];

const AS: Readonly<Record<InsteadBill["as"], string>> = {
  sent: "as they were sent",
  unfolded: "without any folding",
  "one-time": "all kept for",
};

const insteadRows = (bills: readonly InsteadBill[]): readonly (readonly string[])[] => [
  ["as", "equivalents", "dollars", "too large"],
  ...bills.map(({ as, ttlSeconds, bill, dollars, tooLarge }) => [
    as === "one-time" ? `${AS[as]} ${figure(ttlSeconds / 60)} minutes` : AS[as],
    figure(bill),
    money(dollars),
    tooLarge === 0 ? "-" : figure(tooLarge),
  ]),
];

const countedNote = (summaries: readonly SummaryBill[]): string =>
  summaries.some(({ reported }) => reported === false)
    ? "Figures marked ~ were not reported by a provider: they are the session's own count of the request, without the output."
    : "";

const recallNote = ({ answers, tokens, dollars }: CacheBill["recall"]): string =>
  answers === 0 ? "" : `${count(answers, "answer")} of recall took ${figure(tokens)} tokens (${money(dollars)}).`;

function keepAliveNote(advice: KeepAliveAdvice | null): string {
  if (advice === null || advice.pauses === 0) return "";
  const { everySeconds, breakEvenSeconds, pauses, spared } = advice;
  return `A keep-alive every ${figure(everySeconds)} seconds pays for pauses of up to ${figure(breakEvenSeconds / 60)} minutes: over ${count(pauses, "pause")} it would have saved ${figure(spared.bill)} equivalents (${money(spared.dollars)}). Threadfold does not send any.`;
}
