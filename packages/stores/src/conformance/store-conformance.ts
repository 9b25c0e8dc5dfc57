import assert from "node:assert/strict";
import type { Clock, ThreadfoldStore } from "@threadfold/core";
import { appendLaws } from "./append-laws.ts";
import { artifactLaws } from "./artifact-laws.ts";
import { journalLaws } from "./journal-laws.ts";
import { lifecycleLaws, reopenLaws } from "./lifecycle-laws.ts";
import { planLaws } from "./plan-laws.ts";
import { rangeLaws } from "./range-laws.ts";
import { START_MS } from "./sample-data.ts";
import type { AdjustableClock, StoreLaw } from "./store-law.ts";
import { threadLaws } from "./thread-laws.ts";

/** A kind of store, and how to come by one. */
export interface StoreBackend {
  readonly name: string;
  /** True when the store seals content, so that artifact ids are those of what is stored. False by default. */
  readonly isSealed?: boolean;
  /** Opens an empty store that takes its time from the clock. */
  open(options: { readonly clock: Clock }): Promise<ThreadfoldStore>;
  /** Opens what the newest `open` opened again, beside it or after it was closed. Absent for stores that forget. */
  reopen?(options: { readonly clock: Clock }): Promise<ThreadfoldStore>;
  /** Called when a law is done with what was opened, after it was closed. */
  dispose?(): Promise<void>;
}

/** The two functions of a test framework that the suite needs: those of vitest, node:test and others. */
export interface TestFramework {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/**
 * The laws that every Threadfold store keeps, as tests. A backend's own test file is a few lines:
 *
 * ```ts
 * import { describe, it } from "vitest";
 * storeConformance({ name: "memory", open: async ({ clock }) => createMemoryStore({ clock }) }, { describe, it });
 * ```
 */
export function storeConformance(backend: StoreBackend, { describe, it }: TestFramework): void {
  const families: Readonly<Record<string, readonly StoreLaw[]>> = {
    appends: appendLaws,
    threads: threadLaws,
    plans: planLaws,
    ranges: rangeLaws,
    artifacts: artifactLaws,
    journal: journalLaws,
    lifecycle: lifecycleLaws,
    ...(backend.reopen !== undefined && { reopening: reopenLaws }),
  };
  describe(`${backend.name} store`, () => {
    for (const [family, laws] of Object.entries(families)) {
      describe(family, () => {
        for (const law of laws) it(law.name, () => runLaw(backend, law));
      });
    }
  });
}

async function runLaw(backend: StoreBackend, law: StoreLaw): Promise<void> {
  const clock = adjustableClock();
  const store = await backend.open({ clock });
  try {
    await law.holds({
      store,
      clock,
      isSealed: backend.isSealed ?? false,
      reopen: async () => {
        assert.ok(backend.reopen, "the backend can be opened again");
        return backend.reopen({ clock });
      },
    });
  } finally {
    await store.close();
    await backend.dispose?.();
  }
}

function adjustableClock(): AdjustableClock {
  let now = START_MS;
  return { now: () => now, set: (ms) => void (now = ms) };
}
