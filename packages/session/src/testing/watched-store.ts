import type { ThreadfoldStore } from "@threadfold/core";

/** A call of a store's port, such as `plans.commitPlan`. */
export type PortCall = `${"threads" | "plans" | "artifacts" | "journal" | "recall"}.${string}`;

/** What a test does around the calls of a store. What it throws is thrown in the place of the call. */
export interface StoreWatch {
  readonly before?: (call: PortCall) => unknown;
  readonly after?: (call: PortCall) => unknown;
}

/** A store whose every call a test sees, may hold up, and may let fail. */
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

/** A gate that holds up whoever passes until it is opened, and tells when somebody has come. */
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
