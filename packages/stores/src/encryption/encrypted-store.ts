import type { KeyStore, ThreadfoldStore } from "@threadfold/core";
import type { ErasableStore } from "../erasure/store-eraser.ts";
import { inspectorOf } from "../inspection/inspector-of.ts";
import type { InspectableStore } from "../inspection/stored-rows.ts";
import { EncryptedArtifacts } from "./encrypted-artifacts.ts";
import { EncryptedJournal } from "./encrypted-journal.ts";
import { EncryptedPlans } from "./encrypted-plans.ts";
import { EncryptedRanges } from "./encrypted-ranges.ts";
import { EncryptedThreads } from "./encrypted-threads.ts";
import { KeyEraser } from "./key-eraser.ts";
import { KeyGuard } from "./key-guard.ts";
import { type EncryptionOptions, sealedPlaces } from "./sealed-places.ts";
import { Sealers } from "./sealers.ts";

/**
 * A store that keeps nothing that anybody said in the clear: entries, pins, plans with their summaries, artifacts and
 * digests of requests are sealed before they reach the store within. Ids, roles, times, versions, token figures and
 * lengths stay readable. Hashes are over what is stored, so the chains verify without any key and go on to when one is
 * destroyed; `inspector` shows what is stored.
 *
 * It is written to with the keys alone that sealed what it holds: where those are away, a write is refused with `KEY_MISSING`
 * or `KEY_MISMATCH` before anything is stored, and no key is made in their place.
 *
 * A sealed store has no index of its own over words: search runs in memory over what was opened. Closing it closes the
 * store within, and not the keys.
 */
export function encryptedStore(
  store: ThreadfoldStore,
  keys: KeyStore,
  options: EncryptionOptions = {},
): InspectableStore & ErasableStore {
  const placeOf = sealedPlaces(keys, options);
  const guard = new KeyGuard(store, placeOf, options);
  const sealers = new Sealers(placeOf, guard);
  const inspector = inspectorOf(store);
  const { subjectOf = String } = options;
  const threads = new EncryptedThreads(store.threads, sealers);
  const ranges = store.ranges && new EncryptedRanges(store.ranges, sealers);
  return Object.freeze({
    threads,
    plans: new EncryptedPlans(store.plans, { threads, ranges }, sealers),
    ...(ranges !== undefined && { ranges }),
    artifacts: new EncryptedArtifacts(store.artifacts, sealers),
    journal: new EncryptedJournal(store.journal, sealers),
    inspector,
    eraser: new KeyEraser(placeOf, subjectOf, guard, inspector, store),
    close: () => store.close(),
  });
}
