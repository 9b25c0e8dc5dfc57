import { signal } from "@preact/signals";
import { useLayoutEffect, useState } from "preact/hooks";

/** A list that the keyboard navigates. */
export interface KeyedList {
  readonly length: number;
  /** Index of the chosen row; -1 for none. */
  readonly chosen: number;
  choose(index: number): void;
  /** Shows or hides the content of a row; absent if rows have none. */
  unfold?(index: number, isOpen: boolean): void;
  /** Handles Enter on a row. */
  enter?(index: number): void;
}

/** The list on screen, which the page's keys reach wherever the focus is. */
export const keyedList = signal<KeyedList | null>(null);

/** Makes a list the target of the page's keys while it is shown, in time for the next key however fast one types. */
export function useRowKeys(list: KeyedList): void {
  useLayoutEffect(() => {
    keyedList.value = list;
    return () => {
      if (keyedList.peek() === list) keyedList.value = null;
    };
  });
}

/** Returns the keys of a list's unfolded rows, and a function that unfolds or folds a row. */
export function useUnfolded<Key>(): readonly [ReadonlySet<Key>, (key: Key, isOpen: boolean) => void] {
  const [open, setOpen] = useState<ReadonlySet<Key>>(new Set());
  const change = (key: Key, isOpen: boolean): void =>
    setOpen((before) => new Set(isOpen ? [...before, key] : [...before].filter((one) => one !== key)));
  return [open, change];
}
