import type { ThreadEntry } from "./thread-entry.ts";

/** What is known of an entry, which is frozen, so that it stays true. */
export interface KnownForm {
  /** True for an entry that an addition made: it was checked. */
  readonly isChecked: boolean;
  /** True when its canonical JSON is what `JSON.stringify` gives, which is several times faster. */
  readonly stringifies: boolean;
  /** SHA-256 of its canonical JSON, once somebody asked. */
  digest: string | undefined;
}

/** One map for all of it: each entry in a weak map costs the garbage collector more than everything that it holds. */
export const knownForms = new WeakMap<ThreadEntry, KnownForm>();
