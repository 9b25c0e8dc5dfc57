import type { ComparedPolicy } from "@threadfold/inspection/rows";
import { percent, short } from "../format/figures.ts";
import { ticks } from "./stack.ts";
import { useElementWidth } from "./timeline-chart.tsx";

const AXIS = 48;
const FOOT = 28;

/** Room that a name takes, in pixels. */
const NAME = { width: 120, height: 16 };

interface Point {
  readonly policy: string;
  readonly bill: number;
  readonly remembered: number;
  readonly isBaseline: boolean;
}

interface FrontierProps {
  readonly policies: readonly ComparedPolicy[];
  readonly chosen: string;
  readonly onChoose: (policy: string) => void;
}

/** Policies by what they cost and what they remember. The same figures stand in the table below it. */
export function FrontierChart({ policies, chosen, onChoose }: FrontierProps) {
  const [box, width] = useElementWidth<HTMLDivElement>();
  const points = policies.flatMap(({ policy, bill, remembered, isBaseline }): readonly Point[] =>
    bill === null || remembered === null ? [] : [{ policy, bill, remembered, isBaseline }],
  );
  const most = 1.05 * Math.max(0.1, ...points.map(({ bill }) => bill));
  const height = 260;
  const inner = Math.max(1, width - AXIS - 12);
  const x = (bill: number): number => (bill / most) * inner;
  const y = (remembered: number): number => height * (1 - remembered);
  // The chosen one is named, and every other one whose name has room beside those that are.
  const ordered = points.toSorted((a, b) => Number(b.policy === chosen) - Number(a.policy === chosen));
  const named: Point[] = [];
  for (const point of ordered) {
    const isFree = (one: Point): boolean =>
      Math.abs(x(one.bill) - x(point.bill)) > NAME.width ||
      Math.abs(y(one.remembered) - y(point.remembered)) > NAME.height;
    if (named.every(isFree)) named.push(point);
  }
  return (
    <div ref={box} class="plot">
      {width > 0 && (
        <svg width={width} height={height + FOOT + 10} aria-hidden="true">
          <g transform={`translate(${AXIS} 10)`}>
            {[0, 0.25, 0.5, 0.75, 1].map((share) => (
              <g key={share} class="tick">
                <line x1="0" x2={inner} y1={y(share)} y2={y(share)} />
                <text x="-8" y={y(share) + 3.5}>
                  {percent(share)}
                </text>
              </g>
            ))}
            {ticks(100 * most, 6).map((hundredths) => (
              <text key={hundredths} class="foot-tick" x={x(hundredths / 100)} y={height + 16}>
                {(hundredths / 100).toFixed(2)}
              </text>
            ))}
            <text class="foot-tick end" x={inner} y={height + FOOT}>
              bill, where sending everything is 1
            </text>
            {ordered.toReversed().map((point) => {
              const { policy, bill, remembered, isBaseline } = point;
              return (
                // The names in the table do the same, and are reached by keys.
                // biome-ignore lint/a11y/noStaticElementInteractions: see above
                <g
                  key={policy}
                  class={`point ${policy === chosen ? "chosen" : ""} ${isBaseline ? "baseline" : ""}`}
                  transform={`translate(${x(bill)} ${y(remembered)})`}
                  onClick={() => onChoose(policy)}
                >
                  <title>{`${policy}: ${bill.toFixed(3)}, ${percent(remembered)}`}</title>
                  <circle r={policy === chosen ? 6 : 4} />
                  {named.includes(point) && (
                    <text x={x(bill) > inner / 2 ? -10 : 10} y="4" class={x(bill) > inner / 2 ? "end" : ""}>
                      {policy}
                    </text>
                  )}
                </g>
              );
            })}
          </g>
        </svg>
      )}
    </div>
  );
}

interface RunProps {
  readonly title: string;
  readonly runs: readonly { readonly policy: string; readonly values: readonly (number | null)[] }[];
  readonly chosen: string;
}

/** A figure of every policy, call by call: the chosen one before all others. */
export function RunChart({ title, runs, chosen }: RunProps) {
  const [box, width] = useElementWidth<HTMLDivElement>();
  const calls = Math.max(2, ...runs.map(({ values }) => values.length));
  const most = runs.reduce(
    (top, { values }) => values.reduce<number>((one, value) => Math.max(one, value ?? 0), top),
    1,
  );
  const height = 150;
  const inner = Math.max(1, width - AXIS - 12);
  return (
    <figure ref={box} class="plot">
      <figcaption>{title}</figcaption>
      {width > 0 && (
        <svg width={width} height={height + 20} aria-hidden="true">
          <g transform={`translate(${AXIS} 10)`}>
            {ticks(most, 4).map((value) => (
              <g key={value} class="tick">
                <line x1="0" x2={inner} y1={height * (1 - value / most)} y2={height * (1 - value / most)} />
                <text x="-8" y={height * (1 - value / most) + 3.5}>
                  {short(value)}
                </text>
              </g>
            ))}
            {runs
              .toSorted((a, b) => Number(a.policy === chosen) - Number(b.policy === chosen))
              .map(({ policy, values }) => (
                <path
                  key={policy}
                  class={policy === chosen ? "run chosen" : "run"}
                  d={linePath(values, inner / (calls - 1), (value) => height * (1 - value / most))}
                />
              ))}
          </g>
        </svg>
      )}
    </figure>
  );
}

/** A line over calls, broken where there is no figure. */
function linePath(values: readonly (number | null)[], step: number, y: (value: number) => number): string {
  let path = "";
  let isDown = false;
  values.forEach((value, call) => {
    if (value !== null) path += `${isDown ? "L" : "M"}${(call * step).toFixed(1)} ${y(value).toFixed(1)}`;
    isDown = value !== null;
  });
  return path;
}
