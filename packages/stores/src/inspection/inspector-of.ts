import type { ThreadfoldStore } from "@threadfold/core";
import { portInspector } from "./port-inspector.ts";
import { isInspectable, type StoreInspector } from "./stored-rows.ts";

/** What a store really holds where it shows that, else what it hands out. */
export function inspectorOf(store: ThreadfoldStore): StoreInspector {
  return isInspectable(store) ? store.inspector : portInspector(store);
}
