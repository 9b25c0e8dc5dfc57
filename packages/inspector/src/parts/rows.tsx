import { signal } from "@preact/signals";
import {
  elementScroll,
  measureElement,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { useRowKeys } from "../state/row-keys.ts";

/** Maximum number of rows of a list that are printed. */
const PRINTED = 400;

interface RowsProps {
  readonly label: string;
  readonly length: number;
  /** Height of a row that is not unfolded, in pixels. */
  readonly height?: number;
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
  readonly onEnter?: (index: number) => void;
  readonly onUnfold?: (index: number, isOpen: boolean) => void;
  /** Key of a row, stable while the list changes. */
  readonly keyOf?: (index: number) => string | number;
  readonly className?: string;
  /** Cells of the header row, as elements of role `columnheader`. */
  readonly head?: ComponentChildren;
  readonly rowClass?: (index: number) => string;
  /** Cells of a row, as elements of role `gridcell`. */
  readonly children: (index: number) => ComponentChildren;
}

/**
 * A list of which only the visible rows are in the document. To screen readers it is a grid with as many rows as the
 * list has, of which the chosen one is active.
 */
export function Rows(props: RowsProps) {
  const { label, length, chosen, onChoose, onEnter, onUnfold, className = "", head, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const { virtualizer, rowId } = useVirtualRows(props, box);
  useRowKeys({
    length,
    chosen,
    choose: onChoose,
    ...(onUnfold !== undefined && { unfold: onUnfold }),
    ...(onEnter !== undefined && { enter: onEnter }),
  });
  const printed = isPrinting.value;
  const indexes = printed
    ? Array.from({ length: Math.min(length, PRINTED) }, (_, index) => index)
    : virtualizer.getVirtualItems().map(({ index }) => index);
  const first = printed ? 0 : (virtualizer.getVirtualItems()[0]?.start ?? 0);
  return (
    <div
      ref={box}
      class={`rows ${className}`}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={length + (head === undefined ? 0 : 1)}
      {...(indexes.includes(chosen) && { "aria-activedescendant": rowId(chosen) })}
    >
      {head !== undefined && (
        <div class="row rows-head" role="row" aria-rowindex={1}>
          {head}
        </div>
      )}
      <div class="rows-all" role="rowgroup" style={{ height: printed ? "auto" : `${virtualizer.getTotalSize()}px` }}>
        <div class="rows-seen" role="presentation" style={{ transform: `translateY(${first}px)` }}>
          {indexes.map((index) => (
            // The keyboard reaches rows through the grid, which has the focus.
            // biome-ignore lint/a11y/useKeyWithClickEvents: see above
            <div
              key={props.keyOf?.(index) ?? index}
              id={rowId(index)}
              class={`row ${index === chosen ? "chosen" : ""} ${props.rowClass?.(index) ?? ""}`}
              role="row"
              aria-rowindex={index + (head === undefined ? 1 : 2)}
              aria-selected={index === chosen}
              data-index={index}
              ref={virtualizer.measureElement}
              onClick={() => onChoose(index)}
              onDblClick={() => onEnter?.(index)}
            >
              {children(index)}
            </div>
          ))}
        </div>
      </div>
      {printed && length > PRINTED && <p class="quiet">… and {length - PRINTED} more, which are not printed.</p>}
    </div>
  );
}

let lists = 0;

function useVirtualRows({ length, height = 28, chosen, keyOf }: RowsProps, box: { current: HTMLDivElement | null }) {
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  const [list] = useState(() => ++lists);
  const options = {
    count: length,
    estimateSize: () => height,
    getScrollElement: () => box.current,
    getItemKey: (index: number) => keyOf?.(index) ?? index,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    measureElement,
    // The header row covers the first row and takes its height from the last.
    scrollPaddingStart: 30,
    scrollPaddingEnd: 30,
    onChange: () => redraw(undefined),
  };
  const virtualizer = useMemo(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options), []);
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => {
    if (chosen >= 0 && chosen < length) virtualizer.scrollToIndex(chosen, { align: "auto" });
  }, [virtualizer, chosen, length]);
  return { virtualizer, rowId: (index: number) => `row-${list}-${index}` };
}

/** True while the browser prints: then lists are in the document row by row, up to {@link PRINTED} of them. */
const isPrinting = signal(false);

/** Tracks when the browser starts and stops printing. */
export function followPrinting(): void {
  addEventListener("beforeprint", () => {
    isPrinting.value = true;
  });
  addEventListener("afterprint", () => {
    isPrinting.value = false;
  });
}
