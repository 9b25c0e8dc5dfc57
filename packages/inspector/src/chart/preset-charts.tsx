import type { ComparedPolicy } from "@threadfold/inspection/rows";
import { percent, short } from "../format/figures.ts";
import { ticks } from "./stack.ts";
import { useElementWidth } from "./timeline-chart.tsx";

const AXIS = 48;
const FOOT = 28;

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

/** Policies by cost and by how much they remember. The table below the chart has the same figures. */
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
  const ordered = points.toSorted((a, b) => Number(b.policy === chosen) - Number(a.policy === chosen));
  const names = namePlaces(
    ordered.map(({ policy, bill, remembered }) => ({ name: policy, x: x(bill), y: y(remembered) })),
    { left: 0, right: inner, top: -10, bottom: height },
  );
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
              bill (sending everything is 1)
            </text>
            {ordered.toReversed().map((point) => {
              const { policy, bill, remembered, isBaseline } = point;
              return (
                // The names in the table do the same and can be reached by keyboard.
                // biome-ignore lint/a11y/noStaticElementInteractions: see above
                <g
                  key={policy}
                  class={`point ${policy === chosen ? "chosen" : ""} ${isBaseline ? "baseline" : ""}`}
                  transform={`translate(${x(bill)} ${y(remembered)})`}
                  onClick={() => onChoose(policy)}
                >
                  <title>{`${policy}: ${bill.toFixed(3)}, ${percent(remembered)}`}</title>
                  <circle r={policy === chosen ? 6 : 4} />
                  <PointName place={names.get(policy)} name={policy} />
                </g>
              );
            })}
          </g>
        </svg>
      )}
    </div>
  );
}

interface NamePlace {
  /** Offset in pixels from the point to the start, middle or end of the name, depending on `anchor`. */
  readonly x: number;
  readonly y: number;
  readonly anchor: "start" | "middle" | "end";
}

const PointName = ({ place, name }: { readonly place: NamePlace | undefined; readonly name: string }) =>
  place === undefined ? null : (
    <text x={place.x} y={place.y + 4} style={{ textAnchor: place.anchor }}>
      {name}
    </text>
  );

interface NamedPoint {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** Edges of a rectangle, in pixels, y downwards. */
interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Places for a name next to its point, best first. */
const NAME_PLACES: readonly NamePlace[] = [
  { x: 10, y: 0, anchor: "start" },
  { x: -10, y: 0, anchor: "end" },
  { x: 0, y: -14, anchor: "middle" },
  { x: 0, y: 15, anchor: "middle" },
  { x: 6, y: -12, anchor: "start" },
  { x: 6, y: 12, anchor: "start" },
  { x: -6, y: -12, anchor: "end" },
  { x: -6, y: 12, anchor: "end" },
];
/** Space that a name takes, in pixels: at most `letter` for each character. */
const NAME = { letter: 7.3, height: 15 };
const POINT_RADIUS = 6;

/** Places names in order, so that none covers a point or another name. A name that has no room gets no place. */
function namePlaces(points: readonly NamedPoint[], area: Box): ReadonlyMap<string, NamePlace> {
  const taken = points.map(({ x, y }): Box => boxAround(x, y, POINT_RADIUS));
  const places = new Map<string, NamePlace>();
  for (const point of points) {
    const place = NAME_PLACES.find((one) => {
      const box = nameBox(point, one);
      return isWithin(box, area) && !taken.some((other) => overlap(box, other));
    });
    if (place === undefined) continue;
    places.set(point.name, place);
    taken.push(nameBox(point, place));
  }
  return places;
}

const boxAround = (x: number, y: number, radius: number): Box => ({
  left: x - radius,
  right: x + radius,
  top: y - radius,
  bottom: y + radius,
});

function nameBox({ name, x, y }: NamedPoint, place: NamePlace): Box {
  const width = NAME.letter * name.length;
  const left = x + place.x - { start: 0, middle: width / 2, end: width }[place.anchor];
  const top = y + place.y - NAME.height / 2;
  return { left, right: left + width, top, bottom: top + NAME.height };
}

const isWithin = (box: Box, area: Box): boolean =>
  box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom;

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

interface RunProps {
  readonly title: string;
  readonly runs: readonly { readonly policy: string; readonly values: readonly (number | null)[] }[];
  readonly chosen: string;
}

/** A figure of every policy, call by call, with the chosen policy drawn in front of the others. */
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
