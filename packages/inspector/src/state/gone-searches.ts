import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { GoneSearch, InspectionIndex } from "@threadfold/inspection/rows";
import type { DataSource } from "../source/data-source.ts";

/** Somebody who sees a message and what search gives for it. */
interface Wish {
  readonly message: number;
}

/**
 * What search gives for messages that are gone. A server is asked for those that somebody sees, one after the other, and no
 * longer for one that went out of sight before its turn; a file has the answers that there are in one piece.
 */
export class GoneSearches {
  readonly #source: DataSource;
  readonly #index: ReadonlySignal<Pick<InspectionIndex, "thread">>;
  /** Null for a message that nobody can be asked for. */
  readonly #found: Signal<ReadonlyMap<number, GoneSearch | null>> = signal(new Map());
  #wishes: readonly Wish[] = [];
  #planVersion = -1;
  #isAsking = false;

  constructor(source: DataSource, index: ReadonlySignal<Pick<InspectionIndex, "thread">>) {
    this.#source = source;
    this.#index = index;
  }

  /** What was found under the newest plan; undefined for a message that was not asked for yet, null where nobody can be asked. */
  get found(): ReadonlySignal<ReadonlyMap<number, GoneSearch | null>> {
    return this.#found;
  }

  /**
   * Asks for a message, until it is known or the returned function is called.
   *
   * @param isFirst true to ask for it before all others.
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
      // The connection says by itself that the server is gone.
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
    // Under another plan other messages are gone.
    if (this.#index.peek().thread.planVersion !== planVersion) return;
    const found = new Map(this.#found.peek()).set(message, null);
    for (const answer of answers) if (answer !== null) found.set(answer.message, answer);
    this.#found.value = found;
  }
}
