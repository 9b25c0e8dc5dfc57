import type { BillRow } from "@threadfold/inspection/rows";
import { CACHE_PARTS } from "../chart/call-shares.ts";
import { count, money, percent, shareOf, short, whole } from "../format/figures.ts";
import { duration } from "../format/times.ts";
import { Scrolled } from "../parts/scrolled.tsx";
import { Empty, Figure, Section } from "../parts/section.tsx";
import { type Share, ShareBar } from "../parts/share-bar.tsx";
import { CAUSES } from "../parts/words.tsx";
import { useInspector } from "../state/inspector.ts";

/** What the calls cost, by why they cost it. One is the price of an uncached input token. */
export function BillView() {
  const { bill, calls } = useInspector().index.value;
  if (calls.at.length === 0) return <Empty title="Nothing was sent yet, so nothing was paid." />;
  return (
    <Scrolled class="page" label="Cache and bill">
      <h2 class="unseen">Cache and bill</h2>
      <Totals />
      <Section title="What all calls were paid as">
        <ShareBar all={bill.total.inputTokens} shares={cacheShares(bill.total)} />
        <Legend row={bill.total} />
        {bill.price !== null && (
          <p class="quiet">
            Prices of <code>{bill.price.id}</code>: a cached token costs {bill.price.read}, one written to the cache{" "}
            {bill.price.write}; a prefix stays {duration(1000 * bill.price.ttlSeconds)}, and is cached from{" "}
            {whole(bill.price.minimumPrefixTokens)} tokens on.
          </p>
        )}
      </Section>
      <Causes />
      <Folds />
      <Comparison />
    </Scrolled>
  );
}

const cacheShares = (row: BillRow): readonly Share[] =>
  CACHE_PARTS.map(([column, name, tone]) => ({ name, tone, value: row[column as "cached" | "written" | "fresh"] }));

const Legend = ({ row }: { readonly row: BillRow }) => (
  <p class="legend">
    {cacheShares(row).map(({ name, tone, value }) => (
      <span key={name}>
        <i class={`dot tone-${tone}`} />
        {name} <span class="number">{whole(value)}</span> <span class="quiet">{shareOf(value, row.inputTokens)}</span>
      </span>
    ))}
  </p>
);

function Totals() {
  const { bill } = useInspector().index.value;
  const { total, unfolded } = bill;
  return (
    <dl class="figures">
      <Figure name="Input tokens sent" note={count(total.calls, "call")}>
        {short(total.inputTokens)}
      </Figure>
      <Figure name="Paid as" note="uncached input tokens">
        {short(total.cost)}
      </Figure>
      {total.dollars !== null && (
        <Figure name="Dollars" note="input and output">
          {money(total.dollars)}
        </Figure>
      )}
      {unfolded !== null && (
        <Figure
          name={unfolded.cost >= total.cost ? "Saved by folding" : "Folding cost more"}
          tone={unfolded.cost >= total.cost ? "good" : "bad"}
          note={`unfolded: ${short(unfolded.cost)}${unfolded.dollars === null ? "" : `, ${money(unfolded.dollars)}`}`}
        >
          {percent(Math.abs(1 - total.cost / Math.max(1, unfolded.cost)))}
        </Figure>
      )}
    </dl>
  );
}

const Head = ({ titles }: { readonly titles: readonly string[] }) => (
  <thead>
    <tr>
      {titles.map((title, at) => (
        <th key={title} scope="col" class={at === 0 ? "" : "number"}>
          {title}
        </th>
      ))}
    </tr>
  </thead>
);

function Causes() {
  const { bill } = useInspector().index.value;
  const dollars = bill.total.dollars !== null;
  const titles = ["Cause", "Calls", "Sent", "Cached", "Paid", ...(dollars ? ["Dollars"] : []), "Missed", "That cost"];
  return (
    <Section title="By the cause of what was missed">
      <table class="plain-table ledger">
        <Head titles={titles} />
        <tbody>
          {[...bill.byCause]
            .sort((a, b) => b.missedCost - a.missedCost || b.cost - a.cost)
            .map((row) => (
              <tr key={row.cause}>
                <th scope="row">{CAUSES[row.cause]}</th>
                <BillCells row={row} withDollars={dollars} />
                <td class="number">{row.missedTokens === 0 ? "–" : whole(row.missedTokens)}</td>
                <td class="number">{row.missedCost === 0 ? "–" : whole(row.missedCost)}</td>
              </tr>
            ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">all calls</th>
            <BillCells row={bill.total} withDollars={dollars} />
            <td class="number">{whole(bill.byCause.reduce((sum, row) => sum + row.missedTokens, 0))}</td>
            <td class="number">{whole(bill.byCause.reduce((sum, row) => sum + row.missedCost, 0))}</td>
          </tr>
        </tfoot>
      </table>
    </Section>
  );
}

const BillCells = ({ row, withDollars }: { readonly row: BillRow; readonly withDollars: boolean }) => (
  <>
    <td class="number">{whole(row.calls)}</td>
    <td class="number">{whole(row.inputTokens)}</td>
    <td class="number">{shareOf(row.cached, row.inputTokens)}</td>
    <td class="number">{whole(row.cost)}</td>
    {withDollars && <td class="number">{row.dollars === null ? "–" : money(row.dollars)}</td>}
  </>
);

function Folds() {
  const { index, go } = useInspector();
  const { folds } = index.value.bill;
  if (folds.length === 0) return null;
  return (
    <Section title="By fold" note="what each took off the request, and what writing the rest anew cost">
      <table class="plain-table ledger">
        <Head titles={["Plan", "Call", "Before", "After", "Taken off", "Written anew", "That cost"]} />
        <tbody>
          {folds.map((fold) => (
            <tr key={fold.plan}>
              <th scope="row">
                <button
                  type="button"
                  class="link"
                  onClick={() => go({ view: "plans", plans: [fold.plan - 1, fold.plan] })}
                >
                  plan {fold.plan}
                </button>
              </th>
              <td class="number">
                <button
                  type="button"
                  class="link"
                  onClick={() => go({ view: "request", mode: "difference", call: fold.call })}
                >
                  {whole(fold.call + 1)}
                </button>
              </td>
              <td class="number">{whole(fold.tokensBefore)}</td>
              <td class="number">{whole(fold.tokensAfter)}</td>
              <td class="number">{whole(fold.tokensBefore - fold.tokensAfter)}</td>
              <td class="number">{whole(fold.rewrittenTokens)}</td>
              <td class="number">{whole(fold.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** The same calls paid otherwise. */
function Comparison() {
  const { bill } = useInspector().index.value;
  const rows = [
    { name: "as it was", row: bill.total },
    ...(bill.unfolded === null ? [] : [{ name: "without any folding", row: bill.unfolded }]),
    ...bill.otherTimes.map(({ ttlSeconds, bill: row }) => ({
      name: `prefixes that stay ${duration(1000 * ttlSeconds)}`,
      row,
    })),
  ];
  const dollars = bill.total.dollars !== null;
  return (
    <Section title="The same calls, otherwise">
      <table class="plain-table ledger">
        <Head titles={["How", "Calls", "Sent", "Cached", "Paid", ...(dollars ? ["Dollars"] : [])]} />
        <tbody>
          {rows.map(({ name, row }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <BillCells row={row} withDollars={dollars} />
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
