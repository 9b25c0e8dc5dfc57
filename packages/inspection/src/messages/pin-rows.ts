import type { AgentThread, Pin, PinId, PinLiftedEntry, PinSource } from "@threadfold/core";
import type { PinRow } from "../rows/plan-row.ts";

/** The standing instructions of a thread, in the order in which they were made, and the calls that lacked each. */
export class PinRows {
  readonly #rows = new Map<PinId, Omit<PinRow, "missing">>();
  readonly #missing = new Map<PinId, number[]>();
  #version = 0;

  /** Adds what was added to the thread since. */
  take(thread: AgentThread): void {
    for (const [at, entry] of thread.entriesBetween(this.#version).entries()) {
      const version = this.#version + at + 1;
      if (entry.type === "pin") this.#rows.set(entry.pin.id, madeRow(entry.pin, version, thread));
      if (entry.type === "pin-lifted") this.#lift(entry, version, thread);
    }
    this.#version = thread.version;
  }

  /** Records that a call lacked a pin. */
  lacked(pin: PinId, call: number): void {
    const calls = this.#missing.get(pin);
    if (calls === undefined) this.#missing.set(pin, [call]);
    else calls.push(call);
  }

  get rows(): readonly PinRow[] {
    return [...this.#rows].map(([id, row]) => ({ ...row, missing: this.#missing.get(id) ?? [] }));
  }

  #lift({ pinId, why, reason, authority, source }: PinLiftedEntry, version: number, thread: AgentThread): void {
    const row = this.#rows.get(pinId);
    if (row === undefined) return;
    const lifted = { liftedAt: version, liftedWhy: why ?? reason, liftedBy: authority };
    this.#rows.set(pinId, { ...row, ...lifted, liftedIn: ordinalOf(source, thread) });
  }
}

function madeRow(
  { id, text, authority, origin, source }: Pin,
  madeAt: number,
  thread: AgentThread,
): Omit<PinRow, "missing"> {
  return {
    ...{ id, text, authority, origin, madeAt },
    liftedAt: null,
    liftedWhy: null,
    liftedBy: null,
    liftedIn: -1,
    message: ordinalOf(source, thread),
  };
}

const ordinalOf = (source: PinSource | undefined, thread: AgentThread): number =>
  source === undefined ? -1 : (thread.messageInMemory(source.messageId)?.ordinal ?? -1);
