import type { MessageId, PinId, ThreadId } from "../model/ids.ts";
import type { Message, MessageInput } from "../model/message.ts";
import { AppendOnlyList } from "./append-only-list.ts";
import type { Pin } from "./pin.ts";
import { ThreadAddition } from "./thread-addition.ts";
import { chainDigest, restoreEntries } from "./thread-chain.ts";
import type { ThreadEntry, ThreadEntryInput } from "./thread-entry.ts";
import { START_OF_THREAD, type ThreadPosition } from "./thread-position.ts";

/**
 * The append-only log of one conversation, as an immutable value (seed 002, principle 1). `append` gives a new value
 * and leaves the old one valid; both share their entries. Appending is O(1) amortized.
 */
export class AgentThread {
  readonly id: ThreadId;
  readonly #entries: AppendOnlyList<ThreadEntry>;
  readonly #messages: AppendOnlyList<Message>;
  readonly #index: ThreadIndex;
  readonly #position: ThreadPosition;
  readonly #pins: ReadonlyMap<PinId, Pin>;

  private constructor(
    id: ThreadId,
    entries: AppendOnlyList<ThreadEntry>,
    messages: AppendOnlyList<Message>,
    index: ThreadIndex,
    position: ThreadPosition,
    pins: ReadonlyMap<PinId, Pin>,
  ) {
    this.id = id;
    this.#entries = entries;
    this.#messages = messages;
    this.#index = index;
    this.#position = position;
    this.#pins = pins;
  }

  /** A thread with no entry. */
  static empty(id: ThreadId): AgentThread {
    const none = AppendOnlyList.empty<never>();
    return new AgentThread(id, none, none, new ThreadIndex(), START_OF_THREAD, new Map());
  }

  /**
   * The thread that holds entries written down earlier, each as its canonical JSON, oldest first. Entries were checked
   * when they were appended and are not checked again: the digest says whether they are the same ones.
   *
   * @throws ThreadfoldError `STORE_CORRUPT` when the entries do not give the digest.
   */
  static restore(id: ThreadId, serialized: readonly string[], digest: string): AgentThread {
    const entries = restoreEntries(serialized, digest);
    const added = [...entries].flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
    const messages = AppendOnlyList.of(added);
    const index = new ThreadIndex().extend(AppendOnlyList.empty(), added);
    return new AgentThread(id, entries, messages, index, positionAfter(messages), livePinsOf(entries));
  }

  /** How many entries the log has: messages, pins and liftings. */
  get version(): number {
    return this.#entries.length;
  }

  /** How many messages the log has. */
  get length(): number {
    return this.#messages.length;
  }

  /** Turn and step that the newest message belongs to. */
  get position(): ThreadPosition {
    return this.#position;
  }

  /** The pins that hold now, in the order in which they were made. */
  get livePins(): readonly Pin[] {
    return [...this.#pins.values()];
  }

  /** The pins that held when the thread had so many entries. */
  pinsAt(version: number): readonly Pin[] {
    return version >= this.version ? this.livePins : [...livePinsOf(this.#entries.prefix(version)).values()];
  }

  /** A pin of this thread, lifted or not. */
  pin(id: PinId): Pin | undefined {
    const live = this.#pins.get(id);
    if (live !== undefined) return live;
    for (const entry of this.#entries) if (entry.type === "pin" && entry.pin.id === id) return entry.pin;
    return undefined;
  }

  /** Every entry, oldest first. */
  get entries(): Iterable<ThreadEntry> {
    return this.#entries;
  }

  /** Every message, oldest first. */
  get messages(): Iterable<Message> {
    return this.#messages;
  }

  /** The entries from one version up to another. */
  entriesBetween(fromVersion: number, toVersion: number = this.version): readonly ThreadEntry[] {
    return this.#entries.slice(fromVersion, toVersion);
  }

  /** The messages from one ordinal up to another. */
  messagesBetween(fromOrdinal: number, toOrdinal: number = this.length): readonly Message[] {
    return this.#messages.slice(fromOrdinal, toOrdinal);
  }

  messageAt(ordinal: number): Message | undefined {
    return this.#messages.at(ordinal);
  }

  message(id: MessageId): Message | undefined {
    const ordinal = this.#index.ordinalOf(id);
    const found = ordinal === undefined ? undefined : this.#messages.at(ordinal);
    return found?.id === id ? found : undefined;
  }

  /** Appends messages; see {@link appendEntries}. */
  append(messages: readonly MessageInput[]): AgentThread {
    return this.appendEntries(messages.map((message) => ({ type: "message", message })));
  }

  /**
   * Appends entries and gives the thread that holds them. The thread takes what it is given: it is frozen, not copied,
   * as far as its keys are in canonical order. A message whose id is already there with equal content, and a pin that is
   * already there, are skipped: appending twice is the same as appending once (C5).
   *
   * @throws ThreadfoldError `INVALID_MESSAGE` when a message does not match its schema; `INVALID_JSON` when it holds
   * beside its schema what no store could keep; `DUPLICATE_MESSAGE_ID` when an id comes back with other content;
   * `INVALID_PIN` when a pin id comes back with another text, or a lifting names no live pin or has too little
   * authority. Nothing is appended then.
   */
  appendEntries(inputs: readonly ThreadEntryInput[]): AgentThread {
    const addition = new ThreadAddition(this.#position, this.#messages.length, this.#pins, (id) => this.message(id));
    for (const input of inputs) addition.add(input);
    if (addition.entries.length === 0) return this;
    return new AgentThread(
      this.id,
      this.#entries.append(addition.entries),
      this.#messages.append(addition.messages),
      this.#index.extend(this.#messages, addition.messages),
      addition.position,
      addition.pins,
    );
  }

  /**
   * A thread of its own that begins with this one's first entries and shares them. Ids, ordinals, turns and steps stay.
   *
   * @param atVersion how many entries the fork begins with; all of them by default.
   */
  fork(id: ThreadId, atVersion: number = this.version): AgentThread {
    if (atVersion === this.version) {
      return new AgentThread(id, this.#entries, this.#messages, this.#index, this.#position, this.#pins);
    }
    const entries = this.#entries.prefix(atVersion);
    const messages = this.#messages.prefix(countMessages(entries));
    const index = this.#index.prefix(messages.length);
    return new AgentThread(id, entries, messages, index, positionAfter(messages), livePinsOf(entries));
  }

  /** This thread as it was when it had so many entries. */
  atVersion(version: number): AgentThread {
    return version >= this.version ? this : this.fork(this.id, version);
  }

  /**
   * Running hash over all entries, in hexadecimal: entry n's link is SHA-256 of link n−1 and the digest of entry n.
   * Equal digests mean equal logs. Links are kept, so asking again after an append hashes only what is new.
   */
  get digest(): string {
    return chainDigest(this.#entries);
  }
}

function countMessages(entries: AppendOnlyList<ThreadEntry>): number {
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries.at(index);
    if (entry?.type === "message") return entry.message.ordinal + 1;
  }
  return 0;
}

function positionAfter(messages: AppendOnlyList<Message>): ThreadPosition {
  const last = messages.at(messages.length - 1);
  return last === undefined ? START_OF_THREAD : { turn: last.turn, step: last.step };
}

function livePinsOf(entries: Iterable<ThreadEntry>): ReadonlyMap<PinId, Pin> {
  const pins = new Map<PinId, Pin>();
  for (const entry of entries) {
    if (entry.type === "pin") pins.set(entry.pin.id, entry.pin);
    if (entry.type === "pin-lifted") pins.delete(entry.pinId);
  }
  return pins;
}

/** Finds a message's ordinal by its id. Values of one growing thread share the map; each reads only its own prefix. */
class ThreadIndex {
  #ordinals: Map<MessageId, number>;
  #length: number;

  constructor(ordinals = new Map<MessageId, number>(), length = 0) {
    this.#ordinals = ordinals;
    this.#length = length;
  }

  ordinalOf(id: MessageId): number | undefined {
    const ordinal = this.#ordinals.get(id);
    return ordinal !== undefined && ordinal < this.#length ? ordinal : undefined;
  }

  prefix(length: number): ThreadIndex {
    return new ThreadIndex(this.#ordinals, length);
  }

  extend(existing: AppendOnlyList<Message>, added: readonly Message[]): ThreadIndex {
    const shared = this.#ordinals.size === this.#length;
    const ordinals = shared ? this.#ordinals : new Map([...existing].map((message) => [message.id, message.ordinal]));
    for (const message of added) ordinals.set(message.id, message.ordinal);
    return new ThreadIndex(ordinals, this.#length + added.length);
  }
}
