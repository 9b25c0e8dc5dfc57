import { shortId } from "./short-id.ts";

/** Gives out ids, each once. */
export class UniqueIds {
  readonly #taken = new Set<string>();
  /** How often an id was asked for again, so that a much repeated one is not searched for from the start. */
  readonly #repeats = new Map<string, number>();

  /** The wanted id, or one derived from it when it is taken or too long. */
  take(wanted: string): string {
    const short = shortId(wanted);
    let id = short;
    while (this.#taken.has(id)) {
      const repeat = (this.#repeats.get(short) ?? 1) + 1;
      this.#repeats.set(short, repeat);
      id = `${short}~${repeat}`;
    }
    this.#taken.add(id);
    return id;
  }
}
