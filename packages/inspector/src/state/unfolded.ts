import { useState } from "preact/hooks";

/** Which rows of a list are unfolded, by what they are known by. */
export function useUnfolded<Key>(): readonly [ReadonlySet<Key>, (key: Key, isOpen: boolean) => void] {
  const [open, setOpen] = useState<ReadonlySet<Key>>(new Set());
  const change = (key: Key, isOpen: boolean): void =>
    setOpen((before) => new Set(isOpen ? [...before, key] : [...before].filter((one) => one !== key)));
  return [open, change];
}
