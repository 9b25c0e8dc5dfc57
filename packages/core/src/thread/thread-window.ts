import type { ThreadEntry } from "./thread-entry.ts";
import type { ThreadPosition } from "./thread-position.ts";

/**
 * A thread's first entries as far as somebody needs them who goes on from there: figures of all of them, and a few of
 * them whole. What is not held is still in the store.
 */
export interface ThreadWindow {
  /** How many entries there are. */
  readonly version: number;
  /** How many of them are messages. */
  readonly length: number;
  /** Turn and step of the newest message among them. */
  readonly position: ThreadPosition;
  /** The thread's digest with them. */
  readonly digest: string;
  /**
   * The entries that are held, oldest first, each with the thread's version that it made. Pins and liftings are all
   * among them, because what holds now follows from all of them.
   */
  readonly held: readonly { readonly version: number; readonly entry: ThreadEntry }[];
}
