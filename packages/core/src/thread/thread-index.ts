import type { MessageId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import type { AppendOnlyList } from "./append-only-list.ts";

/** Finds a message's ordinal by its id. Values of one growing thread share the map; each reads only its own prefix. */
export class ThreadIndex {
  #ordinals: Map<MessageId, number>;
  #length: number;
  /** How many of the messages up to `#length` the map does not hold, because they are not in memory. */
  #absent: number;

  constructor(ordinals = new Map<MessageId, number>(), length = 0, absent = 0) {
    this.#ordinals = ordinals;
    this.#length = length;
    this.#absent = absent;
  }

  static of(messages: AppendOnlyList<Message>): ThreadIndex {
    const ordinals = ordinalsOf(messages);
    return new ThreadIndex(ordinals, messages.length, messages.length - ordinals.size);
  }

  ordinalOf(id: MessageId): number | undefined {
    const ordinal = this.#ordinals.get(id);
    return ordinal !== undefined && ordinal < this.#length ? ordinal : undefined;
  }

  prefix(length: number): ThreadIndex {
    return new ThreadIndex(this.#ordinals, length, this.#absent);
  }

  extend(existing: AppendOnlyList<Message>, added: readonly Message[]): ThreadIndex {
    const shared = this.#ordinals.size === this.#length - this.#absent;
    const ordinals = shared ? this.#ordinals : ordinalsOf(existing);
    for (const message of added) ordinals.set(message.id, message.ordinal);
    return new ThreadIndex(ordinals, this.#length + added.length, this.#absent);
  }
}

function ordinalsOf(messages: AppendOnlyList<Message>): Map<MessageId, number> {
  const ordinals = new Map<MessageId, number>();
  for (const [ordinal, { id }] of messages.inMemory()) ordinals.set(id, ordinal);
  return ordinals;
}
