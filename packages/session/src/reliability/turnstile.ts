/** The name of one of two workers. */
export type Worker = "A" | "B";

/**
 * Holds two workers at named barriers and lets them pass one at a time, in a given order, so that every interleaving is
 * tested deliberately instead of by chance.
 */
export class Turnstile {
  readonly #waiting = new Map<Worker, () => void>();
  readonly #done = new Set<Worker>();
  readonly #passed: string[] = [];
  #isOpen = false;
  #changed = Promise.withResolvers<void>();
  #crash: { readonly worker: Worker; readonly barrier: string } | null = null;

  /** The barriers that were passed, in order, such as `A committing`. */
  get passed(): readonly string[] {
    return this.#passed;
  }

  /** Makes a worker hang at a barrier, as if it had died there. */
  crashAt(worker: Worker, barrier: string): void {
    this.#crash = { worker, barrier };
  }

  /** Called by a worker at a barrier; resolves when it may continue. */
  async pass(worker: Worker, barrier: string): Promise<void> {
    if (this.#crash?.worker === worker && this.#crash.barrier === barrier) {
      this.finish(worker);
      await new Promise<never>(() => undefined);
    }
    if (this.#isOpen) return;
    const released = new Promise<void>((resolve) => this.#waiting.set(worker, resolve));
    this.#notify();
    await released;
    this.#passed.push(`${worker} ${barrier}`);
  }

  /** Called when a worker is done, or dead. */
  finish(worker: Worker): void {
    this.#done.add(worker);
    this.#notify();
  }

  /** Lets workers pass in an order, each step only after the previous one has come to rest; then opens all barriers. */
  async release(order: readonly Worker[]): Promise<void> {
    for (const worker of order) {
      await this.#atRest(worker);
      const go = this.#waiting.get(worker);
      if (go === undefined) continue;
      this.#waiting.delete(worker);
      go();
      await this.#atRest(worker);
    }
    this.#isOpen = true;
    for (const go of this.#waiting.values()) go();
    this.#waiting.clear();
  }

  async #atRest(worker: Worker): Promise<void> {
    while (!this.#waiting.has(worker) && !this.#done.has(worker)) await this.#changed.promise;
  }

  #notify(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}

/** Returns every order in which two workers can take this many steps each. */
export function interleavings(steps: number): readonly (readonly Worker[])[] {
  const weave = (a: number, b: number): readonly (readonly Worker[])[] => {
    if (a === 0 && b === 0) return [[]];
    const first = (worker: Worker, rest: readonly (readonly Worker[])[]): readonly (readonly Worker[])[] =>
      rest.map((order) => [worker, ...order]);
    return [...(a > 0 ? first("A", weave(a - 1, b)) : []), ...(b > 0 ? first("B", weave(a, b - 1)) : [])];
  };
  return weave(steps, steps);
}
