import type { ThreadfoldStore } from "@threadfold/core";

/** A call of a store's port, such as `plans.commitPlan`. */
export type PortCall = `${"threads" | "plans" | "artifacts" | "journal" | "recall"}.${string}`;

/** What a test does around the calls to a store. An error that it throws is thrown by the call. */
export interface StoreWatch {
  readonly before?: (call: PortCall) => unknown;
  readonly after?: (call: PortCall) => unknown;
}

/** Wraps a store so that a test can observe, delay or fail every call. */
export function watchedStore(store: ThreadfoldStore, watch: StoreWatch): ThreadfoldStore {
  const { recall } = store;
  return {
    threads: watched("threads", store.threads, watch),
    plans: watched("plans", store.plans, watch),
    artifacts: watched("artifacts", store.artifacts, watch),
    journal: watched("journal", store.journal, watch),
    ...(recall !== undefined && { recall: watched("recall", recall, watch) }),
    close: () => store.close(),
  };
}

function watched<Port extends object>(name: string, port: Port, { before, after }: StoreWatch): Port {
  return new Proxy(port, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return async (...given: readonly unknown[]) => {
        const call = `${name}.${String(key)}` as PortCall;
        await before?.(call);
        const result: unknown = await value.apply(target, given);
        await after?.(call);
        return result;
      };
    },
  });
}

/** Creates a gate that blocks callers until it is opened, and reports when the first one has arrived. */
export function gate() {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    open: () => opened.resolve(),
    pass: () => {
      reached.resolve();
      return opened.promise;
    },
  };
}
