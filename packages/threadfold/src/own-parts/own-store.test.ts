import type { ThreadfoldStore } from "@threadfold/core";
import { createMemoryStore } from "@threadfold/stores";
import { brokenLaws, keepLaws, type StoreBackend, storeLaws } from "threadfold/laws";
import { describe, expect, it } from "vitest";

/** A store as somebody else would write one around another: it does as that one does, and counts what is appended. */
function countingStore(inner: ThreadfoldStore): ThreadfoldStore & { readonly appends: () => number } {
  let appends = 0;
  return {
    ...inner,
    threads: {
      append: (threadId, entries, options) => {
        appends++;
        return inner.threads.append(threadId, entries, options);
      },
      load: (threadId, options) => inner.threads.load(threadId, options),
      list: (options) => inner.threads.list(options),
    },
    close: () => inner.close(),
    appends: () => appends,
  };
}

let newest: ReturnType<typeof countingStore>;
const backend: StoreBackend = {
  open: async ({ clock }) => (newest = countingStore(createMemoryStore({ clock }))),
};

keepLaws("a store of one's own", storeLaws(backend), { describe, it });

describe("a store of one's own", () => {
  it("is what the laws were tried on", async () => {
    const append = storeLaws(backend).filter(({ name }) => name.startsWith("C2 of many appends"));
    expect(await brokenLaws(append)).toEqual([]);
    expect(newest.appends()).toBe(40);
  });

  it("breaks the laws when it takes every append, whatever version was expected", async () => {
    const careless: StoreBackend = {
      open: async ({ clock }) => {
        const store = createMemoryStore({ clock });
        const append: typeof store.threads.append = (threadId, entries, options) =>
          store.threads.append(threadId, entries, { ...options, expectedVersion: "any" });
        return { ...store, threads: { ...countingStore(store).threads, append } };
      },
    };
    const broken = await brokenLaws(storeLaws(careless));
    expect(broken.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "C1 layer-38 an append at the expected version succeeds, and a stale one is refused and leaves the log alone",
        "C2 of many appends at one version exactly one succeeds",
      ]),
    );
  });

  it("may have no ranges, when it says so", async () => {
    const rangeless = (fields: Partial<StoreBackend>): StoreBackend => ({
      open: async ({ clock }) => {
        const { ranges: _, ...store } = createMemoryStore({ clock });
        return store;
      },
      ...fields,
    });
    expect(await brokenLaws(storeLaws(rangeless({ withoutRanges: true })))).toEqual([]);
    const broken = await brokenLaws(storeLaws(rangeless({})));
    expect(broken).toContainEqual({
      name: "P9 a range of entries is that part of the whole thread",
      problem: expect.stringContaining("has no ranges; if that is intended, set withoutRanges of the backend"),
    });
  });

  it("hears what it should have refused, and what it was given", async () => {
    const accepting: StoreBackend = {
      open: async ({ clock }) => {
        const store = createMemoryStore({ clock });
        const commitPlan: typeof store.plans.commitPlan = async (threadId, plan, expectedVersion) =>
          plan.threadId === threadId
            ? store.plans.commitPlan(threadId, plan, expectedVersion)
            : { status: "committed", version: 1 };
        const list: typeof store.threads.list = async (options) =>
          options?.cursor === "x" ? { items: [], nextCursor: null } : store.threads.list(options);
        return {
          ...store,
          threads: { ...countingStore(store).threads, list },
          plans: {
            commitPlan,
            getCurrentPlan: (threadId) => store.plans.getCurrentPlan(threadId),
            getPlan: (threadId, version) => store.plans.getPlan(threadId, version),
            listPlans: (threadId) => store.plans.listPlans(threadId),
          },
        };
      },
    };
    const problems = (await brokenLaws(storeLaws(accepting))).map(({ problem }) => problem);
    expect(problems).toEqual([
      expect.stringContaining('expected INVALID_CONFIG for {"cursor":"x"}, and nothing was thrown'),
      expect.stringContaining("expected INVALID_PLAN for another thread, and nothing was thrown"),
    ]);
  });
});
