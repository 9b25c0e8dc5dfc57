import type { GoneRow, GoneSearch } from "@threadfold/inspection/rows";
import { useEffect, useMemo, useState } from "preact/hooks";
import { count, short, whole } from "../format/figures.ts";
import { messageName, toolsOf } from "../model/block-label.ts";
import { MessageView } from "../parts/body-view.tsx";
import { Cell, columnHeads } from "../parts/cell.tsx";
import { ChoiceChips, countBy } from "../parts/choice-chips.tsx";
import { onOneLine } from "../parts/long-text.tsx";
import { Rows } from "../parts/rows.tsx";
import { Empty, Figure, Section } from "../parts/section.tsx";
import { Segments } from "../parts/segments.tsx";
import { ActionChip } from "../parts/words.tsx";
import { useGone, useGoneSearch, useInspector } from "../state/inspector.ts";
import { Recovery } from "./recovery.tsx";

type Order = "size" | "name" | "needed";

/**
 * What the newest request does not show unchanged: how large it is, whether it was needed, and how to find it again.
 */
export function GoneView() {
  const { place } = useInspector();
  const found = useGone();
  if (found.state === "reading")
    return <Empty title="Looking for what is gone…">And for the calls that needed it.</Empty>;
  if (found.state === "failed") return <Empty title="It could not be read.">{found.message}</Empty>;
  const gone = found.value;
  if (gone.length === 0)
    return (
      <Empty title="Nothing is gone.">
        The newest request shows every message unchanged. What a fold hides is listed here, with what it would take to
        get it back.
      </Empty>
    );
  const row = gone.find(({ message }) => message === place.value.message);
  return (
    <div class="with-panel">
      <div class="main">
        <GoneFigures gone={gone} />
        <NotAsked gone={gone} />
        <GoneList gone={gone} />
      </div>
      {row === undefined ? (
        <aside class="panel">
          <Empty title="Choose a message.">
            What needed it later, what search returns for it, and the commands that bring it back.
          </Empty>
        </aside>
      ) : (
        <GonePanel key={row.message} row={row} />
      )}
    </div>
  );
}

function GoneFigures({ gone }: { readonly gone: readonly GoneRow[] }) {
  const sum = (rows: readonly GoneRow[]): number => rows.reduce((all, { tokens }) => all + tokens, 0);
  const needed = useMemo(() => gone.filter(({ neededBy }) => neededBy.length > 0), [gone]);
  return (
    <dl class="figures">
      <Figure name="Gone" note={`${short(sum(gone))} tokens`}>
        {whole(gone.length)}
      </Figure>
      <Figure name="Needed later" note={`${short(sum(needed))} tokens`} tone={needed.length === 0 ? "good" : ""}>
        {whole(needed.length)}
      </Figure>
      {needed.length > 0 && <FoundFigure needed={needed} />}
    </dl>
  );
}

/** How many of the needed messages search finds, of those asked about so far; the reader can ask about all of them. */
function FoundFigure({ needed }: { readonly needed: readonly GoneRow[] }) {
  const { index, searches, source } = useInspector();
  const [wantsAll, setWantsAll] = useState(false);
  const { planVersion } = index.value.thread;
  useEffect(() => {
    // A file has all answers in one piece, which the first request opens.
    const wanted = wantsAll ? needed : source.kind === "embedded" ? needed.slice(0, 1) : [];
    const stops = wanted.map(({ message }) => searches.want(message));
    return () => {
      for (const stop of stops) stop();
    };
  }, [searches, source, planVersion, needed, wantsAll]);
  const known = needed.flatMap(({ message }) => searches.found.value.get(message) ?? []);
  const found = known.filter(({ rank }) => rank !== null);
  return (
    <Figure
      name="Of those, search finds"
      note={
        known.length === needed.length ? (
          "among its first ten results"
        ) : (
          <>
            of {whole(known.length)} searched for
            {source.kind === "served" && !wantsAll && (
              <>
                ;{" "}
                <button type="button" class="link" onClick={() => setWantsAll(true)}>
                  search for all
                </button>
              </>
            )}
          </>
        )
      }
      tone={found.length < known.length ? "bad" : "good"}
    >
      {whole(found.length)}
    </Figure>
  );
}

/** How to get the search results that a file does not have. */
function NotAsked({ gone }: { readonly gone: readonly GoneRow[] }) {
  const { searches, source } = useInspector();
  const asked = [...searches.found.value.values()].filter((search) => search !== null).length;
  if (source.kind === "served" || asked === 0 || asked >= gone.length) return null;
  return (
    <p class="quiet not-asked">
      When this file was written, {whole(asked)} of them were searched for: those that were needed, then the largest.
      Without <code>--out</code>, <code>threadfold inspect</code> serves a page that searches for each one in view.
    </p>
  );
}

function GoneList({ gone }: { readonly gone: readonly GoneRow[] }) {
  const { index, place, move, go } = useInspector();
  const tables = index.value;
  const [order, setOrder] = useState<Order>("size");
  const [tools, setTools] = useState<ReadonlySet<string>>(new Set());
  const nameOf = ({ message }: GoneRow): string => toolsOf(tables, message)[0] ?? tables.messages.role[message] ?? "";
  const choices = useMemo(
    () =>
      [...countBy(gone, nameOf)]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 12)
        .map(([value, number]) => ({ value, word: value, count: number })),
    [gone, tables],
  );
  const rows = useMemo(
    () => [...gone.filter((row) => tools.size === 0 || tools.has(nameOf(row)))].sort(ORDERS[order](nameOf)),
    [gone, tables, tools, order],
  );
  return (
    <>
      <div class="bar">
        <ChoiceChips label="From" choices={choices} chosen={tools} onChange={setTools} />
        <Segments
          label="Order"
          options={[
            ["size", "Largest"],
            ["name", "By name"],
            ["needed", "Needed later"],
          ]}
          chosen={order}
          onChange={setOrder}
        />
      </div>
      <Rows
        label="What is gone"
        className="gone-rows"
        length={rows.length}
        chosen={rows.findIndex(({ message }) => message === place.value.message)}
        onChoose={(at) => move({ message: rows[at]?.message ?? null })}
        onEnter={(at) => go({ view: "why", message: rows[at]?.message ?? null })}
        keyOf={(at) => rows[at]?.message ?? at}
        head={columnHeads(["Message", "From", "What it says", "Now", "Needed by", "Search", "Tokens"])}
      >
        {(at) => rows[at] !== undefined && <GoneCells row={rows[at]} name={nameOf(rows[at])} />}
      </Rows>
    </>
  );
}

const ORDERS: Readonly<Record<Order, (nameOf: (row: GoneRow) => string) => (a: GoneRow, b: GoneRow) => number>> = {
  size: () => (a, b) => b.tokens - a.tokens || a.message - b.message,
  name: (nameOf) => (a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : a.message - b.message),
  needed: () => (a, b) => b.neededBy.length - a.neededBy.length || b.tokens - a.tokens,
};

function GoneCells({ row, name }: { readonly row: GoneRow; readonly name: string }) {
  const index = useInspector().index.value;
  const { messages, records } = index;
  return (
    <>
      <Cell class="place">#{row.message}</Cell>
      <Cell class="cut">
        <code>{onOneLine(name)}</code>
      </Cell>
      <Cell class="cut">{onOneLine(messages.title[row.message] || messageName(index, row.message))}</Cell>
      <Cell>
        <ActionChip action={records[row.record]?.action ?? messages.state[row.message] ?? "drop"} />
      </Cell>
      <Cell class={row.neededBy.length > 0 ? "needed-by number needed" : "needed-by number quiet"}>
        {row.neededBy.length === 0 ? "–" : count(row.neededBy.length, "call")}
      </Cell>
      <SearchCell message={row.message} />
      <Cell class="number">{whole(row.tokens)}</Cell>
    </>
  );
}

/** The message's place among the search results. */
function SearchCell({ message }: { readonly message: number }) {
  const search = useGoneSearch(message);
  const isMissed = search?.asked === true && search.rank === null;
  return <Cell class={`search-answer number ${isMissed ? "bad" : "quiet"}`}>{searchWord(search)}</Cell>;
}

function searchWord(search: GoneSearch | null | undefined): string {
  if (search === undefined) return "searching…";
  if (!search?.asked) return "not run";
  return search.rank === null ? "not found" : `result ${search.rank}`;
}

/** Maximum number of calls listed by number. */
const MOST_CALLS = 12;

function GonePanel({ row }: { readonly row: GoneRow }) {
  const { index, go } = useInspector();
  const record = index.value.records[row.record];
  return (
    <aside class="panel" aria-label={`Message ${row.message}`}>
      <header class="panel-head">
        <h2>Message #{row.message}</h2>
        <p class="quiet">
          {record?.reason}{" "}
          <button type="button" class="link" onClick={() => go({ view: "why" })}>
            Its full trail
          </button>
        </p>
      </header>
      {row.neededBy.length > 0 && (
        <Section title="Needed later" note={count(row.neededBy.length, "call")}>
          <p class="numbers">
            {row.neededBy.slice(0, MOST_CALLS).map((call) => (
              <button
                key={call}
                type="button"
                class="link number"
                onClick={() => go({ view: "request", mode: "request", call })}
              >
                {whole(call + 1)}
              </button>
            ))}
            {row.neededBy.length > MOST_CALLS && (
              <span class="quiet"> and {row.neededBy.length - MOST_CALLS} more</span>
            )}
          </p>
          <p class="quiet">
            Names they used that were nowhere in their prompt: {row.needed.map(onOneLine).join(", ")}.
          </p>
        </Section>
      )}
      <Recovery ordinal={row.message} />
      <Section title="What it says">
        <MessageView ordinal={row.message} />
      </Section>
    </aside>
  );
}
