import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { GoneSearch, InspectionIndex } from "@threadfold/inspection/rows";
import type { DataSource } from "../source/data-source.ts";

/** A visible element that waits for the search result of a message. */
interface Wish {
  readonly message: number;
}

/**
 * Search results for messages that are gone. A server is asked for the messages in view, one at a time, and no longer
 * for one that went out of view before its turn; a file has all its answers in one piece.
 */
export class GoneSearches {
  readonly #source: DataSource;
  readonly #index: ReadonlySignal<Pick<InspectionIndex, "thread">>;
  /** Null for a message whose search result cannot be had. */
  readonly #found: Signal<ReadonlyMap<number, GoneSearch | null>> = signal(new Map());
  #wishes: readonly Wish[] = [];
  #planVersion = -1;
  #isAsking = false;

  constructor(source: DataSource, index: ReadonlySignal<Pick<InspectionIndex, "thread">>) {
    this.#source = source;
    this.#index = index;
  }

  /**
   * Search results under the newest plan; undefined for a message not asked for yet, null if its result cannot be had.
   */
  get found(): ReadonlySignal<ReadonlyMap<number, GoneSearch | null>> {
    return this.#found;
  }

  /**
   * Requests the search result of a message until it is known or the returned function is called.
   *
   * @param isFirst true to request it before all others.
   */
  want(message: number, isFirst = false): () => void {
    const wish = { message };
    this.#wishes = isFirst ? [wish, ...this.#wishes] : [...this.#wishes, wish];
    if (!this.#isAsking) void this.#ask();
    return () => {
      this.#wishes = this.#wishes.filter((other) => other !== wish);
    };
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) await this.#take(next);
    } catch {
      // The connection reports on its own that the server is gone.
    }
    this.#isAsking = false;
  }

  #next(): number | undefined {
    const { planVersion } = this.#index.peek().thread;
    if (planVersion !== this.#planVersion) this.#found.value = new Map();
    this.#planVersion = planVersion;
    return this.#wishes.find(({ message }) => !this.#found.peek().has(message))?.message;
  }

  async #take(message: number): Promise<void> {
    const planVersion = this.#planVersion;
    const answers =
      this.#source.kind === "embedded"
        ? ((await this.#source.read({ kind: "searches" })) as readonly GoneSearch[])
        : [(await this.#source.read({ kind: "search", message })) as GoneSearch | null];
    // Under another plan, different messages are gone.
    if (this.#index.peek().thread.planVersion !== planVersion) return;
    const found = new Map(this.#found.peek()).set(message, null);
    for (const answer of answers) if (answer !== null) found.set(answer.message, answer);
    this.#found.value = found;
  }
}
