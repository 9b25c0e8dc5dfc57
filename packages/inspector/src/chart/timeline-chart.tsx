import type { InspectionIndex } from "@threadfold/inspection/rows";
import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { short, whole } from "../format/figures.ts";
import { CACHE_PARTS, countedLimits, PARTS } from "./call-shares.ts";
import { type Area, type Bins, binsOf, callAt, placeOf, type Span, stackPaths, stepPath, ticks } from "./stack.ts";

interface TimelineProps {
  readonly index: InspectionIndex;
  readonly span: Span;
  readonly call: number;
  readonly onChoose: (call: number) => void;
  /** True for the strip above the views: one low lane, without figures. */
  readonly isStrip?: boolean;
}

/** Width of the axis labels at the left, in pixels. */
const AXIS = 44;

/** Calls from left to right: what each request was made of, how it was paid for, and where folds and breaks were. */
export function TimelineChart(props: TimelineProps) {
  const { index, span, call, onChoose, isStrip = false } = props;
  const [box, width] = useElementWidth<HTMLDivElement>();
  const [hovered, setHovered] = useState(-1);
  const inner = Math.max(1, width - (isStrip ? 0 : AXIS));
  const bins = useMemo(() => binsOf(index.calls.tokens, span, inner / 2), [index, span.first, span.count, inner]);
  const pointed = (event: { readonly clientX: number }): number => {
    const left = (box.current?.getBoundingClientRect().left ?? 0) + (isStrip ? 0 : AXIS);
    return callAt(bins, (event.clientX - left) / inner);
  };
  const last = index.calls.at.length - 1;
  const step = (event: KeyboardEvent): void => {
    const to = STEPS[event.key]?.(call, last);
    if (to === undefined) return;
    event.preventDefault();
    onChoose(Math.min(last, Math.max(0, to)));
  };
  return (
    <div
      ref={box}
      class={isStrip ? "chart strip" : "chart"}
      role="slider"
      tabIndex={0}
      aria-label="Chosen call"
      aria-valuemin={1}
      aria-valuemax={last + 1}
      aria-valuenow={call + 1}
      aria-valuetext={`call ${call + 1} of ${last + 1}, ${whole(index.calls.tokens[call] ?? 0)} tokens`}
      onKeyDown={step}
      onPointerDown={(event) => onChoose(pointed(event))}
      onPointerMove={(event) => (event.buttons === 1 ? onChoose(pointed(event)) : setHovered(pointed(event)))}
      onPointerLeave={() => setHovered(-1)}
    >
      {width > 0 && <Lanes {...props} bins={bins} width={inner} />}
      <Cursor bins={bins} span={span} call={call} inset={isStrip ? 0 : AXIS} kind="chosen" />
      {hovered >= 0 && <Cursor bins={bins} span={span} call={hovered} inset={isStrip ? 0 : AXIS} kind="hovered" />}
      {hovered >= 0 && !isStrip && <Hint index={index} call={hovered} bins={bins} />}
    </div>
  );
}

const STEPS: Readonly<Record<string, (call: number, last: number) => number>> = {
  ArrowLeft: (call) => call - 1,
  ArrowDown: (call) => call - 1,
  ArrowRight: (call) => call + 1,
  ArrowUp: (call) => call + 1,
  PageUp: (call) => call + 10,
  PageDown: (call) => call - 10,
  Home: () => 0,
  End: (_, last) => last,
};

type LaneProps = TimelineProps & { readonly bins: Bins; readonly width: number };

function Lanes({ index, span, bins, width, isStrip = false }: LaneProps) {
  const { calls } = index;
  const top = useMemo(() => topOf(index, bins), [index, bins]);
  const area: Area = { width, height: isStrip ? 40 : 220, top };
  if (isStrip)
    return (
      <svg class="lane" width={width} height={area.height} aria-hidden="true">
        <Stack index={index} bins={bins} area={area} parts={PARTS} />
        <Marks index={index} span={span} bins={bins} area={area} isStrip />
      </svg>
    );
  const cache: Area = {
    width,
    height: 72,
    top: Math.max(1, ...bins.peaks.map((call) => calls.inputTokens[call] ?? 0)),
  };
  const cost: Area = { width, height: 44, top: Math.max(1, ...bins.peaks.map((call) => calls.cost[call] ?? 0)) };
  return (
    <>
      <Lane area={area} title="Tokens" lines={5}>
        <Stack index={index} bins={bins} area={area} parts={PARTS} />
        <path class="limit" d={stepPath(countedLimits(calls), bins, area)} />
        <Marks index={index} span={span} bins={bins} area={area} />
      </Lane>
      <Lane area={cache} title="Cache" lines={1}>
        <Stack index={index} bins={bins} area={cache} parts={CACHE_PARTS} />
      </Lane>
      <Lane area={cost} title="Paid" lines={1}>
        <path class="tone-cost" d={stackPaths([calls.cost], bins, cost)[0]} />
      </Lane>
    </>
  );
}

/** Returns the top of the token axis: room for the largest request, and for the limit unless it is far above. */
function topOf({ calls }: InspectionIndex, { peaks }: Bins): number {
  const most = Math.max(1, ...peaks.map((call) => calls.tokens[call] ?? 0));
  const limits = countedLimits(calls);
  const limit = Math.max(0, ...peaks.map((call) => limits[call] ?? 0));
  return 1.08 * (limit < 3 * most ? Math.max(most, limit) : most);
}

interface LaneFrame {
  readonly area: Area;
  readonly title: string;
  readonly lines: number;
  readonly children: preact.ComponentChildren;
}

const Lane = ({ area, title, lines, children }: LaneFrame) => (
  <svg class="lane" width={area.width + AXIS} height={area.height + 8} aria-hidden="true">
    <g transform={`translate(${AXIS} 6)`}>
      {ticks(area.top, lines).map((value) => {
        const y = Math.round(area.height - (area.height * value) / area.top) + 0.5;
        return (
          <g key={value} class="tick">
            <line x1="0" x2={area.width} y1={y} y2={y} />
            {value > 0 && (
              <text x="-8" y={y + 3.5}>
                {short(value)}
              </text>
            )}
          </g>
        );
      })}
      <text class="lane-title" x="-8" y={area.height}>
        {title}
      </text>
      {children}
    </g>
  </svg>
);

interface StackProps {
  readonly index: InspectionIndex;
  readonly bins: Bins;
  readonly area: Area;
  readonly parts: typeof PARTS;
}

function Stack({ index, bins, area, parts }: StackProps) {
  const paths = useMemo(
    () =>
      stackPaths(
        parts.map(([column]) => index.calls[column]),
        bins,
        area,
      ),
    [index, bins, area.width, area.height, area.top, parts],
  );
  return (
    <>
      {parts.map(([column, , tone], at) => (
        <path key={column} class={`tone-${tone}`} d={paths[at]} />
      ))}
    </>
  );
}

type MarkProps = Omit<StackProps, "parts"> & { readonly span: Span; readonly isStrip?: boolean };

/** Lines that are closer together than this on average, in pixels, would hide what they cross. */
const LINES_APART = 10;

/**
 * Draws folds as lines across the chart and breaks as wedges at its foot. If the folds are too close together for that,
 * they are ticks at the top, and a break that a fold caused has no mark besides the fold's.
 */
function Marks({ index, span, bins, area, isStrip = false }: MarkProps) {
  const isSeen = (call: number): boolean => call >= span.first && call < span.first + span.count;
  const step = area.width / Math.max(1, bins.peaks.length);
  const x = (call: number): number => Math.round((placeOf(bins, span, call) - 0.5 / bins.peaks.length) * area.width);
  const folds = index.plans.map(({ firstCall }) => firstCall).filter((call) => call >= 0 && isSeen(call));
  const isDense = folds.length * LINES_APART > area.width;
  const lines = [...new Set(folds.map(x))];
  const folded = new Set(folds);
  const breaks = index.breaks.filter(({ call }) => isSeen(call) && !(isDense && folded.has(call)));
  const size = Math.max(2.5, Math.min(5, step));
  const tick = isStrip ? 4 : 8;
  return (
    <>
      {lines.map((place) => (
        <line
          key={place}
          class="fold-line"
          x1={place - 0.5}
          x2={place - 0.5}
          y1="0"
          y2={isDense ? tick : area.height}
        />
      ))}
      {!isStrip &&
        breaks.map(({ call }) => {
          const middle = x(call) + step / 2;
          return (
            <path
              key={call}
              class="break-mark"
              d={`M${middle} ${area.height - size * 1.6}l${size} ${size * 1.6}h${-2 * size}z`}
            />
          );
        })}
    </>
  );
}

interface CursorProps {
  readonly bins: Bins;
  readonly span: Span;
  readonly call: number;
  readonly inset: number;
  readonly kind: "chosen" | "hovered";
}

function Cursor({ bins, span, call, inset, kind }: CursorProps) {
  const share = placeOf(bins, span, call);
  if (call < span.first || share > 1) return null;
  const width = `max(2px, calc((100% - ${inset}px) * ${1 / bins.peaks.length}))`;
  return (
    <i
      class={`cursor ${kind}`}
      style={{ left: `calc(${inset}px + (100% - ${inset}px) * ${share - 0.5 / bins.peaks.length})`, width }}
    />
  );
}

function Hint({ index, call, bins }: { readonly index: InspectionIndex; readonly call: number; readonly bins: Bins }) {
  const { calls } = index;
  const plan = calls.folded[call] ? `, first under plan ${calls.planVersion[call]}` : "";
  return (
    <p class="hint" aria-hidden="true">
      call {whole(call + 1)}
      {bins.calls > 1 && ` (the largest of ${bins.calls})`}: {whole(calls.tokens[call] ?? 0)} tokens,{" "}
      {whole(calls.cached[call] ?? 0)} cached{plan}
    </p>
  );
}

/** Returns a ref for the element to measure, and its current width in pixels. */
export function useElementWidth<Box extends Element>(): readonly [RefObject<Box | null>, number] {
  const box = useRef<Box | null>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => setWidth(Math.round(element.getBoundingClientRect().width));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}
