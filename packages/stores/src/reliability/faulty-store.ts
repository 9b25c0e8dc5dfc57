import { ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";

/** What happens to a call: it is made, it fails before it was made, or it was made and its answer is lost. */
export type Fate = "works" | "fails" | "answer-lost";

const PORTS = ["threads", "plans", "artifacts", "journal"] as const;

/** A store whose calls share the fates that a test deals out. */
export function faultyStore<Store extends ThreadfoldStore>(store: Store, fateOf: (call: string) => Fate): Store {
  const ports = Object.fromEntries(PORTS.map((name) => [name, faulty(name, store[name], fateOf)]));
  return { ...store, ...ports };
}

function faulty<Port extends object>(name: string, port: Port, fateOf: (call: string) => Fate): Port {
  return new Proxy(port, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return async (...given: readonly unknown[]) => {
        const fate = fateOf(`${name}.${String(key)}`);
        if (fate === "fails") throw lost();
        const result: unknown = await value.apply(target, given);
        if (fate === "answer-lost") throw lost();
        return result;
      };
    },
  });
}

const lost = (): ThreadfoldError => new ThreadfoldError("STORE_UNAVAILABLE", "The line is dead.");

/** Says whether an error is one of a dead line. */
export const isLost = (error: unknown): boolean =>
  ThreadfoldError.isInstance(error) && error.message === "The line is dead.";
