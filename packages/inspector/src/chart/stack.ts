/** The calls that a chart shows: `count` of them, starting at `first`. */
export interface Span {
  readonly first: number;
  readonly count: number;
}

/** The columns of a chart. Each stands for `calls` calls and shows the one with the most tokens: `peaks[column]`. */
export interface Bins {
  readonly calls: number;
  readonly peaks: readonly number[];
}

/**
 * Divides a span into at most `most` columns. A column with several calls shows the largest, so that no peak is lost.
 */
export function binsOf(tokens: readonly number[], { first, count }: Span, most: number): Bins {
  const calls = Math.max(1, Math.ceil(count / Math.max(1, most)));
  const peaks: number[] = [];
  for (let start = first; start < first + count; start += calls) {
    let peak = start;
    for (let call = start + 1; call < Math.min(start + calls, first + count); call++)
      if ((tokens[call] ?? 0) > (tokens[peak] ?? 0)) peak = call;
    peaks.push(peak);
  }
  return { calls, peaks };
}

/** A rectangle of a chart, in pixels. */
export interface Area {
  readonly width: number;
  readonly height: number;
  /** The value at the top of the scale. */
  readonly top: number;
}

/**
 * Returns the paths of stacked columns, one per series, the first at the bottom. There is one path per series, not one
 * element per column: ten thousand calls are nine elements.
 */
export function stackPaths(series: readonly (readonly number[])[], { peaks }: Bins, area: Area): readonly string[] {
  const step = area.width / Math.max(1, peaks.length);
  const gap = step > 3 ? 1 : 0;
  const base = new Float64Array(peaks.length);
  return series.map((values) => {
    let path = "";
    peaks.forEach((call, column) => {
      const value = values[call] ?? 0;
      if (value <= 0) return;
      const bottom = base[column] ?? 0;
      base[column] = bottom + value;
      const [left, right] = [column * step, (column + 1) * step - gap];
      path += `M${pixel(left)} ${yOf(bottom, area)}H${pixel(right)}V${yOf(bottom + value, area)}H${pixel(left)}z`;
    });
    return path;
  });
}

/** Returns the path of a step line over the columns, broken where there is no figure. */
export function stepPath(values: readonly (number | null)[], { peaks }: Bins, area: Area): string {
  const step = area.width / Math.max(1, peaks.length);
  let path = "";
  let isDown = false;
  peaks.forEach((call, column) => {
    const value = values[call] ?? null;
    const y = value === null ? "" : yOf(value, area);
    if (value !== null) path += `${isDown ? `V${y}` : `M${pixel(column * step)} ${y}`}H${pixel((column + 1) * step)}`;
    isDown = value !== null;
  });
  return path;
}

const yOf = (value: number, { height, top }: Area): string => pixel(height - (height * value) / Math.max(1, top));
const pixel = (value: number): string => value.toFixed(1);

/** Returns the call shown at a fraction of the chart's width; -1 if there is none. */
export function callAt({ peaks }: Bins, share: number): number {
  const column = Math.min(peaks.length - 1, Math.max(0, Math.floor(share * peaks.length)));
  return peaks[column] ?? -1;
}

/** Returns the position of a call as a fraction of the width: the middle of its column. */
export const placeOf = ({ calls, peaks }: Bins, { first }: Span, call: number): number =>
  (Math.floor((call - first) / calls) + 0.5) / Math.max(1, peaks.length);

/** Returns round values for the grid lines of an axis, from 0 to `top`. */
export function ticks(top: number, most: number): readonly number[] {
  const rough = Math.max(1, top / most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= rough) ?? power * 10;
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step);
}
