import { signal } from "@preact/signals";
import { useLayoutEffect, useState } from "preact/hooks";

/** A list that keys move in. */
export interface KeyedList {
  readonly length: number;
  /** Index of the chosen row; -1 for none. */
  readonly chosen: number;
  choose(index: number): void;
  /** Shows or hides what is in a row; absent where rows have nothing in them. */
  unfold?(index: number, isOpen: boolean): void;
  /** What Enter does. */
  enter?(index: number): void;
}

/** The list that is shown, which the page's keys reach whatever has the focus. */
export const keyedList = signal<KeyedList | null>(null);

/** Makes a list the one that keys move in as long as it is shown: before the next key, however fast one types. */
export function useRowKeys(list: KeyedList): void {
  useLayoutEffect(() => {
    keyedList.value = list;
    return () => {
      if (keyedList.peek() === list) keyedList.value = null;
    };
  });
}

/** Which rows of a list are unfolded, by what they are known by. */
export function useUnfolded<Key>(): readonly [ReadonlySet<Key>, (key: Key, isOpen: boolean) => void] {
  const [open, setOpen] = useState<ReadonlySet<Key>>(new Set());
  const change = (key: Key, isOpen: boolean): void =>
    setOpen((before) => new Set(isOpen ? [...before, key] : [...before].filter((one) => one !== key)));
  return [open, change];
}
