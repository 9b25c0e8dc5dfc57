import { whole } from "../format/figures.ts";
import { Empty } from "../parts/section.tsx";
import { Segments } from "../parts/segments.tsx";
import { useInspector } from "../state/inspector.ts";
import { MODES, type Mode } from "../state/place.ts";
import { BlockList } from "./block-list.tsx";
import { CallPanel } from "./call-panel.tsx";
import { DifferenceList } from "./difference-list.tsx";
import { LogList } from "./log-list.tsx";
import { PayloadView } from "./payload-view.tsx";

const WORDS: Readonly<Record<Mode, string>> = {
  request: "Model view",
  log: "Log",
  difference: "Difference",
  payload: "Raw payload",
};

/** What the model saw at a call: the request in the provider's order, the log, what changed, and the bytes. */
export function RequestView() {
  const { index, call, place, blocks, go } = useInspector();
  const { mode } = place.value;
  const options = MODES.map((one) => [one, WORDS[one], one === "difference" ? "d" : undefined] as const);
  if (call.value < 0)
    return (
      <Empty title="No request has been made from this thread yet.">
        The first one appears here as soon as it is handed out.
      </Empty>
    );
  const choose = (position: number): void =>
    go({ mode: "request", message: index.value.blocks.from[blocks.value[position] ?? -1] ?? null });
  return (
    <div class="with-panel">
      <div class="main">
        <div class="bar">
          <h2>What the model saw at call {whole(call.value + 1)}</h2>
          <Segments label="Show" options={options} chosen={mode} onChange={(next) => go({ mode: next })} />
        </div>
        {mode === "request" && <BlockList />}
        {mode === "log" && <LogList />}
        {mode === "difference" && <DifferenceList />}
        {mode === "payload" && <PayloadView />}
      </div>
      <CallPanel onBlock={choose} />
    </div>
  );
}
