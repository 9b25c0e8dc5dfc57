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
});
