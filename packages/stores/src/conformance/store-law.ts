import assert from "node:assert/strict";
import { type Clock, type ErrorCode, ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";

/** A clock that a law sets. */
export interface AdjustableClock extends Clock {
  /** Milliseconds since the epoch that it shows from now on. */
  set(ms: number): void;
}

/** What a law works on. */
export interface LawContext {
  /** An empty store that uses the clock. */
  readonly store: ThreadfoldStore;
  readonly clock: AdjustableClock;
  /** True when the store seals content, so that artifact ids are those of what is stored. */
  readonly isSealed: boolean;
  /** Opens another handle on the same data; the law closes it. Laws that need it are run only where there is one. */
  readonly reopen: () => Promise<ThreadfoldStore>;
}

/** One sentence that holds for every store, and how to see it. */
export interface StoreLaw {
  /** The sentence, beginning with the id of a scenario where there is one. */
  readonly name: string;
  readonly holds: (context: LawContext) => Promise<void>;
}

/** Makes sure that work fails with a code. */
export async function refuses(code: ErrorCode, work: () => Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(ThreadfoldError.isInstance(error), `expected a ThreadfoldError ${code}, got ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return true;
  });
}

/** Makes sure that a value and all that it holds are frozen. */
export function assertFrozen(value: unknown, path = "value"): void {
  if (typeof value !== "object" || value === null) return;
  assert.ok(Object.isFrozen(value), `${path} is not frozen`);
  for (const [key, item] of Object.entries(value)) assertFrozen(item, `${path}.${key}`);
}
