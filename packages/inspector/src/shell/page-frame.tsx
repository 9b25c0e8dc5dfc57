import { isGone } from "@threadfold/inspection/rows";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { TimelineChart } from "../chart/timeline-chart.tsx";
import { whole } from "../format/figures.ts";
import { Icon } from "../parts/icon.tsx";
import { onOneLine } from "../parts/long-text.tsx";
import { useInspector } from "../state/inspector.ts";
import { VIEWS, type View } from "../state/place.ts";
import { THEMES, theme } from "../state/theme.ts";
import { BillView } from "../views/bill-view.tsx";
import { ErasedView } from "../views/erased-view.tsx";
import { GoneView } from "../views/gone-view.tsx";
import { IntegrityView } from "../views/integrity-view.tsx";
import { PlansView } from "../views/plans-view.tsx";
import { PresetsView } from "../views/presets-view.tsx";
import { RequestView } from "../views/request-view.tsx";
import { SearchView } from "../views/search-view.tsx";
import { TimelineView } from "../views/timeline-view.tsx";
import { WhyView } from "../views/why-view.tsx";
import { HelpDialog } from "./help-dialog.tsx";
import { followKeys } from "./keys.ts";

const TABS: Readonly<Record<View, readonly [word: string, draw: () => preact.ComponentChildren]>> = {
  timeline: ["Timeline", () => <TimelineView />],
  request: ["Request", () => <RequestView />],
  why: ["Why", () => <WhyView />],
  gone: ["Gone", () => <GoneView />],
  plans: ["Plans", () => <PlansView />],
  bill: ["Cache & bill", () => <BillView />],
  integrity: ["Integrity", () => <IntegrityView />],
  search: ["Search", () => <SearchView />],
  presets: ["Presets", () => <PresetsView />],
};

/** The whole page: the current place, the navigation, and the view. */
export function PageFrame() {
  const inspector = useInspector();
  const { index, place, call, move } = inspector;
  const help = useRef<HTMLDialogElement>(null);
  const box = useRef<HTMLInputElement>(null);
  // A key may be pressed before the browser has shown what is drawn.
  useLayoutEffect(
    () =>
      followKeys(inspector, {
        search: () => {
          box.current?.focus();
          box.current?.select();
        },
        help: () => (help.current?.open ? help.current.close() : help.current?.showModal()),
      }),
    [inspector],
  );
  const { thread, erased, calls } = index.value;
  if (erased !== null) return <ErasedView id={thread.id} erased={erased} />;
  const { view } = place.value;
  return (
    <>
      <header class="top">
        <Heading />
        <SearchBox box={box} />
        <div class="tools">
          <ThemeButton />
          <button
            type="button"
            class="plain"
            onClick={() => help.current?.showModal()}
            aria-label="Keys and colours (?)"
          >
            <Icon name="help" />
          </button>
        </div>
      </header>
      <Tabs />
      <Damage />
      {view !== "timeline" && view !== "presets" && calls.at.length > 0 && (
        <section class="strip-frame" aria-label="Calls">
          <CallSteps />
          <TimelineChart
            isStrip
            index={index.value}
            span={{ first: 0, count: calls.at.length }}
            call={call.value}
            onChoose={(at) => move({ call: at })}
          />
        </section>
      )}
      <main class={`view view-${view}`} style={{ "--digits": Math.max(3, String(thread.messages).length) }}>
        {TABS[view][1]()}
      </main>
      <HelpDialog dialog={help} />
    </>
  );
}

function Heading() {
  const { index, liveness } = useInspector();
  const { thread, source, bodies, redacted } = index.value;
  const shown = [
    source.simulated ? "calls simulated by folding this log" : "",
    bodies === "all" ? "" : bodies === "none" ? "without message bodies" : "long texts shortened",
    redacted ? "secrets removed" : "secrets shown",
  ].filter((word) => word !== "");
  return (
    <div class="heading">
      <span class="logo">
        <Icon name="fold" />
      </span>
      <div>
        <h1 class="cut">{onOneLine(thread.title ?? thread.id)}</h1>
        <p class="quiet cut">
          {liveness.value !== "file" && (
            <span class={`liveness ${liveness.value}`}>{liveness.value === "live" ? "live" : "disconnected"} · </span>
          )}
          {thread.title !== null && `${thread.id} · `}
          {source.name}
          {source.tool !== null && ` (${source.tool})`} · {shown.join(", ")}
        </p>
      </div>
    </div>
  );
}

function SearchBox({ box }: { readonly box: { current: HTMLInputElement | null } }) {
  const { place, move, go } = useInspector();
  const type = (query: string): void =>
    place.value.view === "search" ? move({ query }) : go({ query, view: "search" });
  return (
    <search class="search">
      <Icon name="search" />
      <input
        ref={box}
        type="search"
        aria-label="Search the log and the requests"
        placeholder="Search the log and the requests"
        value={place.value.query}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
      <span class="key">/</span>
    </search>
  );
}

function Tabs() {
  const { index, place, go } = useInspector();
  const { calls, messages, plans, integrity, comparison } = index.value;
  const gone = messages.state.reduce((count, state) => count + (isGone(state) ? 1 : 0), 0);
  const views = VIEWS.filter((view) => view !== "presets" || comparison !== null);
  const wrong =
    integrity.findings.length +
    integrity.mismatches.length +
    integrity.rules.filter((rule) => rule.violations.length > 0).length;
  const tabs = useRef<HTMLElement>(null);
  const { view: shown } = place.value;
  // On a narrow screen not all tabs fit.
  useEffect(() => {
    const tab = tabs.current?.querySelector('[aria-current="page"]');
    tab?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [shown]);
  const counts: Partial<Record<View, number>> = { timeline: calls.at.length, gone, plans: plans.length };
  return (
    <nav ref={tabs} class="tabs" aria-label="Views">
      {views.map((view, at) => (
        <button
          key={view}
          type="button"
          aria-current={view === place.value.view ? "page" : undefined}
          title={`${TABS[view][0]} (${at + 1})`}
          onClick={() => go({ view })}
        >
          {TABS[view][0]}
          {counts[view] !== undefined && <span class="number">{whole(counts[view])}</span>}
          {view === "integrity" && (
            <span class={wrong === 0 ? "good" : "bad"}>
              <Icon name={wrong === 0 ? "done" : "warning"} />
              <span class="unseen">{wrong === 0 ? "all checks pass" : `failed checks: ${wrong}`}</span>
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}

/** The warning about a damaged store, shown in every view but Integrity. */
function Damage() {
  const { index, go, place } = useInspector();
  const { findings } = index.value.integrity;
  if (findings.length === 0 || place.value.view === "integrity") return null;
  return (
    <p class="damage" role="alert">
      <Icon name="warning" /> What is shown may not be what was said: the record does not verify.{" "}
      <button type="button" class="link" onClick={() => go({ view: "integrity" })}>
        See what is damaged, and where
      </button>
    </p>
  );
}

function CallSteps() {
  const { index, call, move } = useInspector();
  const last = index.value.calls.at.length - 1;
  const step = (to: number): void => move({ call: to >= last ? null : Math.max(0, to) });
  return (
    <div class="call-steps">
      <button
        type="button"
        class="plain"
        disabled={call.value <= 0}
        onClick={() => step(call.value - 1)}
        aria-label="Previous call (K)"
      >
        <Icon name="before" />
      </button>
      <span>
        call <b class="number">{whole(call.value + 1)}</b> <span class="quiet">of {whole(last + 1)}</span>
      </span>
      <button
        type="button"
        class="plain"
        disabled={call.value >= last}
        onClick={() => step(call.value + 1)}
        aria-label="Next call (J)"
      >
        <Icon name="after" />
      </button>
    </div>
  );
}

function ThemeButton() {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "system";
  return (
    <button
      type="button"
      class="plain"
      onClick={() => {
        theme.value = next;
      }}
      aria-label={`Colours: ${theme.value}. Change to ${next}.`}
      title={`Colours: ${theme.value}`}
    >
      <Icon name={theme.value} />
    </button>
  );
}
