import type { InspectionIndex } from "@threadfold/inspection/rows";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { CACHE_PARTS } from "../chart/call-shares.ts";
import { count, duration, money, percent, shareOf, short, whole } from "../format/figures.ts";
import { FigureTable } from "../parts/figure-table.tsx";
import { Empty, Figure, Scrolled, Section } from "../parts/section.tsx";
import { type Share, ShareBar } from "../parts/share-bar.tsx";
import { CAUSES } from "../parts/words.tsx";
import { useInspector } from "../state/inspector.ts";

type Bill = InspectionIndex["bill"];

/** The cost of the calls, by cause. The unit is the price of an uncached input token. */
export function BillView() {
  const { index, readBill } = useInspector();
  const { bill, calls, revision } = index.value;
  useEffect(() => void readBill(), [revision, bill.revision, readBill]);
  if (calls.at.length === 0) return <Empty title="Nothing has been sent yet, so nothing has been paid." />;
  const { totals, price } = bill;
  return (
    <Scrolled class="page" label="Cache and bill">
      <h2 class="unseen">Cache and bill</h2>
      <Totals bill={bill} />
      <Section title="How all calls were paid for">
        <ShareBar all={totals.inputTokens} shares={cacheShares(bill)} />
        <Legend bill={bill} />
        {price !== null && (
          <p class="quiet">
            Prices of <code>{price.id}</code>: a cached token costs {price.read}, one written to the cache {price.write}
            ; a prefix is kept for {duration(1000 * price.ttlSeconds)}, and needs at least{" "}
            {whole(price.minimumPrefixTokens)} tokens to be cached.
          </p>
        )}
      </Section>
      <Misses bill={bill} />
      <Folds />
      <Summaries bill={bill} />
      <Instead bill={bill} />
    </Scrolled>
  );
}

const cacheShares = ({ totals }: Bill): readonly Share[] => {
  const values = [totals.readTokens, totals.writtenTokens, totals.uncachedTokens];
  return CACHE_PARTS.map(([, name, tone], at) => ({ name, tone, value: values[at] ?? 0 }));
};

const Legend = ({ bill }: { readonly bill: Bill }) => (
  <p class="legend">
    {cacheShares(bill).map(({ name, tone, value }) => (
      <span key={name}>
        <i class={`dot tone-${tone}`} />
        {name} <span class="number">{whole(value)}</span>{" "}
        <span class="quiet">{shareOf(value, bill.totals.inputTokens)}</span>
      </span>
    ))}
  </p>
);

/** Dollars, or a dash if a price is not known. */
const dollarsText = (dollars: number | null): string => (dollars === null ? "–" : money(dollars));

/** A cell of dollars; none if the prices of the model are not known. */
const dollarCells = <Content,>({ totals }: Bill, cell: Content): readonly Content[] =>
  totals.dollars === null ? [] : [cell];

/**
 * The same calls by the provider's rules, as sent and unfolded: what folding saved is computed from these two alone.
 */
const withoutFolding = ({ instead }: Bill) => ({
  sent: instead.find(({ as }) => as === "sent"),
  unfolded: instead.find(({ as }) => as === "unfolded"),
});

/**
 * Returns the share of the input cost that folding saved; negative if it cost more; null if the journal does not say.
 */
export function savedShare(bill: Bill): number | null {
  const { sent, unfolded } = withoutFolding(bill);
  return sent === undefined || unfolded === undefined || unfolded.bill === 0 ? null : 1 - sent.bill / unfolded.bill;
}

function Totals({ bill }: { readonly bill: Bill }) {
  const { totals, keepAlive, recall } = bill;
  const saved = savedShare(bill);
  const { unfolded } = withoutFolding(bill);
  return (
    <dl class="figures">
      <Figure name="Input tokens sent" note={count(totals.calls, "call")}>
        {short(totals.inputTokens)}
      </Figure>
      <Figure name="Billed as" note="uncached input tokens">
        {short(totals.bill)}
      </Figure>
      <Figure
        name="Dollars"
        note={totals.dollars === null ? "--model NAME prices the calls" : "input, output, summaries and compactions"}
      >
        {dollarsText(totals.dollars)}
      </Figure>
      {saved !== null && (
        <Figure
          name={saved >= 0 ? "Saved by folding" : "Folding cost more"}
          tone={saved >= 0 ? "good" : "bad"}
          note={`unfolded: ${short(unfolded?.bill ?? 0)}`}
        >
          {percent(Math.abs(saved))}
        </Figure>
      )}
      <Figure
        name="Reported by the provider"
        note={totals.reported === totals.calls ? "for every call" : "the others are billed by its rules"}
      >
        {shareOf(totals.reported, totals.calls)}
      </Figure>
      {recall.answers > 0 && (
        <Figure name="Recall" note={count(recall.answers, "answer")}>
          {short(recall.tokens)}
        </Figure>
      )}
      {keepAlive !== null && keepAlive.pauses > 0 && (
        <Figure name="Keep-alives could save" note={`over ${count(keepAlive.pauses, "pause")}`}>
          {short(keepAlive.spared.bill)}
        </Figure>
      )}
    </dl>
  );
}

const causeWord = (cause: string): string => (cause in CAUSES ? CAUSES[cause as keyof typeof CAUSES] : cause);

function Misses({ bill }: { readonly bill: Bill }) {
  const { misses } = bill;
  return (
    <Section title="Paid for again" note="tokens that a cache could have held, by cause">
      {misses.length === 0 ? (
        <p class="quiet">Nothing was missed.</p>
      ) : (
        <FigureTable
          titles={["Cause", "Times", "Tokens", ...dollarCells(bill, "Extra cost")]}
          rows={misses.map(({ cause, misses: times, tokens, dollars }) => ({
            key: cause,
            cells: [causeWord(cause), whole(times), whole(tokens), ...dollarCells(bill, dollarsText(dollars))],
          }))}
          foot={[
            "total",
            whole(sum(misses, (row) => row.misses)),
            whole(sum(misses, (row) => row.tokens)),
            ...dollarCells(bill, dollarsText(dollarSum(misses, ({ dollars }) => dollars))),
          ]}
        />
      )}
    </Section>
  );
}

const sum = <Row,>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((all, row) => all + of(row), 0);

/** Returns the sum; null if one of the amounts is not known. */
const dollarSum = <Row,>(rows: readonly Row[], of: (row: Row) => number | null): number | null =>
  rows.reduce<number | null>((all, row) => {
    const dollars = of(row);
    return all === null || dollars === null ? null : all + dollars;
  }, 0);

function Folds() {
  const { index, go } = useInspector();
  const { bill, plans, calls } = index.value;
  if (bill.folds.length === 0) return null;
  const cells = ({ planVersion, ...fold }: Bill["folds"][number]): readonly ComponentChildren[] => {
    const call = plans[planVersion - 1]?.firstCall ?? -1;
    const before = calls.tokens[call - 1];
    return [
      <button
        key="plan"
        type="button"
        class="link"
        onClick={() => go({ view: "plans", plans: [planVersion - 1, planVersion] })}
      >
        plan {planVersion}
      </button>,
      <button key="call" type="button" class="link" onClick={() => go({ view: "request", mode: "difference", call })}>
        {whole(call + 1)}
      </button>,
      before === undefined ? "–" : whole(before),
      whole(calls.tokens[call] ?? 0),
      whole(fold.calls),
      whole(fold.missedTokens),
      ...dollarCells(bill, dollarsText(fold.missedDollars)),
      whole(fold.sparedTokens),
    ];
  };
  return (
    <Section title="By fold" note="what was paid again when it was first sent, and how much less all of its calls sent">
      <FigureTable
        titles={[
          "Plan",
          "First call",
          "Before",
          "After",
          "Calls",
          "Paid again",
          ...dollarCells(bill, "Dollars"),
          "Saved",
        ]}
        rows={bill.folds.map((fold) => ({ key: String(fold.planVersion), cells: cells(fold) }))}
        foot={[
          ...["total", "", "", ""],
          whole(sum(bill.folds, (fold) => fold.calls)),
          whole(sum(bill.folds, (fold) => fold.missedTokens)),
          ...dollarCells(bill, dollarsText(dollarSum(bill.folds, (fold) => fold.missedDollars))),
          whole(sum(bill.folds, (fold) => fold.sparedTokens)),
        ]}
      />
    </Section>
  );
}

function Summaries({ bill }: { readonly bill: Bill }) {
  const { summaries } = bill;
  if (summaries.length === 0) return null;
  const isCounted = summaries.some(({ reported }) => reported === false);
  return (
    <Section
      title="Summaries and compactions"
      note={`what folds asked a model for, and what the provider's own compactions took${isCounted ? "; ~ marks what was not reported but counted by the session" : ""}`}
    >
      <FigureTable
        titles={["Model", "For", "Plan", "Calls", "Tokens in", "Cached in", "Tokens out", "Dollars"]}
        rows={summaries.map(({ sequence, by, model, summarizer, planVersion, calls, ...asked }) => ({
          key: String(sequence),
          cells: [
            model ?? summarizer,
            by === "provider" ? "compaction" : "summary",
            planVersion === undefined ? "–" : `plan ${planVersion}`,
            whole(calls),
            `${asked.reported === false ? "~" : ""}${whole(asked.inputTokens)}`,
            asked.cacheReadTokens === undefined ? "–" : whole(asked.cacheReadTokens),
            whole(asked.outputTokens),
            dollarsText(asked.dollars),
          ],
        }))}
        foot={[
          ...["total", "", ""],
          whole(sum(summaries, ({ calls }) => calls)),
          whole(sum(summaries, ({ inputTokens }) => inputTokens)),
          whole(sum(summaries, ({ cacheReadTokens = 0 }) => cacheReadTokens)),
          whole(sum(summaries, ({ outputTokens }) => outputTokens)),
          dollarsText(dollarSum(summaries, ({ dollars }) => dollars)),
        ]}
      />
    </Section>
  );
}

/** The same calls, had they been paid for differently. */
function Instead({ bill }: { readonly bill: Bill }) {
  const { instead } = bill;
  if (instead.length === 0)
    return (
      <Section title="What the same calls would have cost">
        <p class="quiet">The journal does not say what the prompt cache could have held, so this cannot be computed.</p>
      </Section>
    );
  return (
    <Section title="What the same calls would have cost" note="by the provider's published rules, input only">
      <FigureTable
        titles={["How", "Billed as", ...dollarCells(bill, "Dollars"), "Larger than the window"]}
        rows={instead.map(({ as, price, ttlSeconds, bill: paid, dollars, tooLarge }) => ({
          key: `${as} ${price}`,
          cells: [
            as === "one-time" ? `all prefixes kept for ${duration(1000 * ttlSeconds)}` : AS[as],
            whole(paid),
            ...dollarCells(bill, dollarsText(dollars)),
            tooLarge === 0 ? "–" : count(tooLarge, "call"),
          ],
        }))}
      />
    </Section>
  );
}

const AS = { sent: "as they were sent", unfolded: "without any folding" } as const;
