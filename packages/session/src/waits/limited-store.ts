import { type ThreadfoldStore, withinLimit } from "@threadfold/core";

type Part = Exclude<keyof ThreadfoldStore, "close">;

/** The calls of a store's parts. */
const CALLS: { readonly [Name in Part]: readonly (keyof NonNullable<ThreadfoldStore[Name]>)[] } = {
  threads: ["append", "load", "list"],
  plans: ["getCurrentPlan", "getCurrentVersion", "getPlan", "listPlans", "commitPlan"],
  artifacts: ["store", "getMetadata", "retrieve", "list"],
  journal: ["append", "read"],
  ranges: ["resume", "loadRange", "findMessages"],
  recall: ["index", "search", "remove"],
};

/**
 * A store of which no call is waited for longer than a limit. What became of a call that was given up is not known; all
 * calls may be made again, as they may be after an answer that was lost.
 */
export function limitedStore(store: ThreadfoldStore, milliseconds: number): ThreadfoldStore {
  const parts: PropertyDescriptorMap = {};
  for (const [name, calls] of Object.entries(CALLS)) {
    const part = store[name as Part];
    if (part !== undefined) parts[name] = { value: limitedPart(name, part, calls, milliseconds), enumerable: true };
  }
  // Whatever else it has, such as an eraser, it keeps.
  return Object.create(store, parts);
}

function limitedPart(name: string, part: object, calls: readonly string[], milliseconds: number): object {
  const limited: Record<string, unknown> = {};
  for (const call of calls) {
    const work: unknown = Reflect.get(part, call);
    if (typeof work !== "function") continue;
    const limit = {
      ...{ milliseconds, waitedFor: `the store's ${name}.${call}`, option: "storeTimeLimitMs", timers: globalThis },
    };
    limited[call] = (...given: readonly unknown[]) => withinLimit(() => work.apply(part, given), limit);
  }
  return Object.freeze(limited);
}
