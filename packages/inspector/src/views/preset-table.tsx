import { percent, short, whole } from "../format/figures.ts";
import { Section } from "../parts/section.tsx";
import { useInspector } from "../state/inspector.ts";

/** What other presets would have made of the same log. */
export function PresetTable() {
  const { presets } = useInspector().index.value;
  if (presets.length === 0)
    return (
      <Section title="What another preset would have done">
        <p class="quiet">
          It is not kept with the thread. <code>threadfold simulate FILE</code> replays a recorded file under every
          preset.
        </p>
      </Section>
    );
  return (
    <Section title="What another preset would have done" note="tokens are characters / 4; sending everything is 1">
      <table class="plain-table">
        <thead>
          <tr>
            {["Preset", "Budget", "Peak", "Folds", "Breaks", "Bill", "Old needs shown"].map((title, at) => (
              <th key={title} scope="col" class={at === 0 ? "" : "number"}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {presets.map((row) => (
            <tr key={`${row.preset} ${row.budget}`}>
              <th scope="row">{row.preset}</th>
              <td class="number">{short(row.budget)}</td>
              <td class="number">{short(row.peakTokens)}</td>
              <td class="number">{whole(row.folds)}</td>
              <td class="number">{whole(row.breaks)}</td>
              <td class="number">{row.bill === null ? "–" : row.bill.toFixed(2)}</td>
              <td class="number">{row.coldRecall === null ? "–" : percent(row.coldRecall)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
