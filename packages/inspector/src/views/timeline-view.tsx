import { useState } from "preact/hooks";
import { PARTS } from "../chart/call-shares.ts";
import type { Span } from "../chart/stack.ts";
import { TimelineChart } from "../chart/timeline-chart.tsx";
import { count, dayAndTime, percent, shareOf, short, timeOfDay, whole } from "../format/figures.ts";
import { Cell, columnHeads } from "../parts/cell.tsx";
import { Rows } from "../parts/rows.tsx";
import { Figure } from "../parts/section.tsx";
import { Segments } from "../parts/segments.tsx";
import { CAUSES } from "../parts/words.tsx";
import { useInspector } from "../state/inspector.ts";
import { savedShare } from "./bill-view.tsx";
import { CallPanel } from "./call-panel.tsx";

/** What every call was made of and what it cost, over time. */
export function TimelineView() {
  const { index, call, blocks, go, move } = useInspector();
  const [window, setWindow] = useState<Window>("all");
  const span = spanOf(index.value.calls.at.length, call.value, window);
  const open = (): void => go({ view: "request", mode: "request" });
  return (
    <div class="with-panel">
      <div class="main">
        <Totals />
        <div class="chart-frame">
          <div class="legend">
            {PARTS.map(([column, name, tone]) => (
              <span key={column}>
                <i class={`dot tone-${tone}`} />
                {name}
              </span>
            ))}
            {index.value.calls.limit.some((limit) => limit !== null) && (
              <span>
                <i class="dash" />
                limit
              </span>
            )}
            <Segments label="Calls in the chart" options={WINDOWS} chosen={window} onChange={setWindow} />
          </div>
          <TimelineChart index={index.value} span={span} call={call.value} onChoose={(at) => move({ call: at })} />
        </div>
        <CallTable onOpen={open} />
      </div>
      <CallPanel
        onBlock={(position) =>
          go({
            view: "request",
            mode: "request",
            message: index.value.blocks.from[blocks.value[position] ?? -1] ?? null,
          })
        }
      />
    </div>
  );
}

type Window = "all" | "200" | "50";
const WINDOWS = [
  ["all", "All calls"],
  ["200", "Nearest 200"],
  ["50", "Nearest 50"],
] as const;

function spanOf(calls: number, call: number, window: Window): Span {
  const count = window === "all" ? calls : Math.min(calls, Number(window));
  return { first: Math.max(0, Math.min(calls - count, call - Math.floor(count / 2))), count };
}

function Totals() {
  const { index } = useInspector();
  const { thread, calls, plans, breaks, bill, integrity, revision } = index.value;
  const newest = calls.tokens.at(-1) ?? 0;
  const [cached, input, paid] = [sum(calls.cached), sum(calls.inputTokens), sum(calls.cost)];
  // While the agent works, the bill is a separate piece, read only by the view that shows all of it.
  const saved = bill.revision === revision ? savedShare(bill) : null;
  const replayed = integrity.replay;
  const proved = replayed.equal;
  const all = replayed.equal + replayed.different + replayed.notRendered;
  return (
    <dl class="figures">
      <Figure name="Thread" note={`tokens in ${count(thread.messages, "message")}, ${count(thread.turns, "turn")}`}>
        {short(thread.tokens)}
      </Figure>
      <Figure name="Newest request" note={`tokens, ${shareOf(newest, thread.tokens)} of the thread`}>
        {short(newest)}
      </Figure>
      <Figure name="Calls" note={`${count(plans.length, "fold")}, ${count(breaks.length, "break")}`}>
        {whole(calls.at.length)}
      </Figure>
      <Figure name="Read from the cache" note={`${short(cached)} of ${short(input)} tokens`}>
        {shareOf(cached, input)}
      </Figure>
      <Figure name="Input tokens billed" note={saved === null ? "as uncached tokens" : savedNote(saved)}>
        {short(paid)}
      </Figure>
      <Figure
        name="Proved"
        tone={proved === all && integrity.findings.length === 0 ? "good" : "bad"}
        note={`${whole(proved)} of ${whole(all)} requests`}
      >
        {integrity.findings.length === 0 ? shareOf(proved, all) : "damaged"}
      </Figure>
    </dl>
  );
}

const sum = (figures: readonly number[]): number => figures.reduce((all, figure) => all + figure, 0);

const savedNote = (saved: number): string =>
  saved >= 0 ? `${percent(saved)} less than unfolded` : `${percent(-saved)} more than unfolded`;

function CallTable({ onOpen }: { readonly onOpen: () => void }) {
  const { index, call, move } = useInspector();
  const { calls, breaks } = index.value;
  const most = calls.tokens.reduce((most, one) => Math.max(most, one), 1);
  return (
    <Rows
      label="Calls"
      className="call-rows"
      length={calls.at.length}
      chosen={call.value}
      onChoose={(at) => move({ call: at })}
      onEnter={onOpen}
      head={columnHeads(["Call", "Time (UTC)", "Plan", "Messages", "Tokens", "Cached", "Billed as", "What happened"])}
    >
      {(at) => {
        const broken = breaks[calls.break[at] ?? -1];
        const tokens = calls.tokens[at] ?? 0;
        return (
          <>
            <Cell>{whole(at + 1)}</Cell>
            <Cell class="quiet" title={dayAndTime(calls.at[at] ?? null)}>
              {timeOfDay(calls.at[at] ?? null)}
            </Cell>
            <Cell>{calls.planVersion[at]}</Cell>
            <Cell>{whole(calls.messages[at] ?? 0)}</Cell>
            <Cell class="measured">
              <i style={{ width: `${(100 * tokens) / most}%` }} />
              {whole(tokens)}
            </Cell>
            <Cell>{shareOf(calls.cached[at] ?? 0, calls.inputTokens[at] ?? 0)}</Cell>
            <Cell>{whole(calls.cost[at] ?? 0)}</Cell>
            <Cell class="cut">
              {calls.folded[at] && <b class="fold-word">folded </b>}
              {broken !== undefined && <span class="bad">{broken.reason}</span>}
              {broken === undefined && (calls.cause[at] ?? "none") !== "none" && (
                <span class="quiet">{CAUSES[calls.cause[at] ?? "none"]}</span>
              )}
            </Cell>
          </>
        );
      }}
    </Rows>
  );
}
