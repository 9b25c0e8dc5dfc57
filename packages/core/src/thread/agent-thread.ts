import { historyNotLoaded } from "../errors/threadfold-error.ts";
import type { MessageId, PinId, ThreadId } from "../model/ids.ts";
import type { Message, MessageInput } from "../model/message.ts";
import { finishSteps, type Steps } from "../time/steps.ts";
import { AppendOnlyList, ThreadIndex } from "./append-only-list.ts";
import { entriesBesides } from "./entries-besides.ts";
import type { OrdinalRun } from "./span-reference.ts";
import { requireMessageList, START_OF_THREAD, ThreadAddition, type ThreadPosition } from "./thread-addition.ts";
import { chainDigestInSteps, restoreEntriesInSteps } from "./thread-chain.ts";
import type { Pin, PinEntry, PinLiftedEntry, ThreadEntry, ThreadEntryInput } from "./thread-entry.ts";

/**
 * The append-only log of one conversation, as an immutable value. `append` returns a new value and leaves the old one
 * valid; both share their entries. Appending is O(1) amortized.
 *
 * A resumed thread has in memory its newest entries and those older ones that its plan shows. It grows like any other.
 * Whatever needs more throws `HISTORY_NOT_LOADED`, so that a part is never taken for the whole.
 */
export class AgentThread {
  readonly id: ThreadId;
  readonly #entries: AppendOnlyList<ThreadEntry>;
  readonly #messages: AppendOnlyList<Message>;
  readonly #index: ThreadIndex;
  readonly #position: ThreadPosition;
  readonly #pins: ReadonlyMap<PinId, Pin>;
  /** What the thread was resumed from; undefined for a thread that was not resumed. */
  readonly #window: ThreadWindow | undefined;

  private constructor(
    id: ThreadId,
    entries: AppendOnlyList<ThreadEntry>,
    messages: AppendOnlyList<Message>,
    index: ThreadIndex,
    position: ThreadPosition,
    pins: ReadonlyMap<PinId, Pin>,
    window?: ThreadWindow,
  ) {
    this.id = id;
    this.#entries = entries;
    this.#messages = messages;
    this.#index = index;
    this.#position = position;
    this.#pins = pins;
    this.#window = window;
  }

  /** Returns a thread without entries. */
  static empty(id: ThreadId): AgentThread {
    const none = AppendOnlyList.empty<never>();
    return new AgentThread(id, none, none, new ThreadIndex(), START_OF_THREAD, new Map());
  }

  /**
   * Restores a thread from stored entries, each as canonical JSON, oldest first. Entries were checked when they were
   * appended and are not checked again: the digest tells whether they are the same.
   *
   * @throws ThreadfoldError `STORE_CORRUPT` when the entries do not match the digest; `INVALID_CONFIG` without a list.
   */
  static restore(id: ThreadId, serialized: readonly string[], digest: string): AgentThread {
    return finishSteps(AgentThread.restoreInSteps(id, serialized, digest));
  }

  /** Does the same as {@link restore}, in steps. */
  static *restoreInSteps(id: ThreadId, serialized: readonly string[], digest: string): Steps<AgentThread> {
    const entries = yield* restoreEntriesInSteps(serialized, digest);
    const added = messagesOf(entries);
    const messages = AppendOnlyList.of(added);
    const index = yield* ThreadIndex.ofInSteps(added);
    return new AgentThread(id, entries, messages, index, positionAfter(messages), livePinsOf(entries));
  }

  /**
   * Resumes a thread from a window and the entries after it, without the earlier entries that the window does not hold.
   * Entries are not checked here; whoever reads them from a store checks them against their digests.
   */
  static resume(id: ThreadId, window: ThreadWindow, tail: readonly ThreadEntry[]): AgentThread {
    const held = new Map(window.held.map(({ version, entry }) => [version - 1, entry]));
    const heldMessages = new Map(
      messagesOf(held.values()).map((message): [number, Message] => [message.ordinal, message]),
    );
    const added = messagesOf(tail);
    const entries = AppendOnlyList.resumed(window.version, held).append(tail);
    const before = AppendOnlyList.resumed(window.length, heldMessages);
    const index = ThreadIndex.of(before).extend(before, added);
    const last = added.at(-1);
    const position = last === undefined ? window.position : { turn: last.turn, step: last.step };
    return new AgentThread(id, entries, before.append(added), index, position, livePinsOf(entries), window);
  }

  /** True when all entries are in memory; false for a resumed thread whose older entries are in the store. */
  get isWhole(): boolean {
    return this.#entries.isWhole;
  }

  /** The number of entries in the log: messages, pins and liftings. */
  get version(): number {
    return this.#entries.length;
  }

  /** The same object for threads that are one log at different lengths. */
  get family(): object {
    return this.#messages.family;
  }

  /** The number of messages in the log. */
  get length(): number {
    return this.#messages.length;
  }

  /** The turn and step of the newest message. */
  get position(): ThreadPosition {
    return this.#position;
  }

  /** The pins in force now, in the order in which they were made. */
  get livePins(): readonly Pin[] {
    return [...this.#pins.values()];
  }

  /** Returns the pins that were in force when the thread had this many entries. */
  pinsAt(version: number): readonly Pin[] {
    return version >= this.version ? this.livePins : [...livePinsOf(this.#entries.prefix(version)).values()];
  }

  /** Returns a pin of this thread, lifted or not. */
  pin(id: PinId): Pin | undefined {
    const live = this.#pins.get(id);
    if (live !== undefined) return live;
    for (const { entry } of this.pinEntries()) if (entry.type === "pin" && entry.pin.id === id) return entry.pin;
    return undefined;
  }

  /** Pins and liftings, oldest first, each with the version that it made. Old messages are not scanned again (P9). */
  pinEntries(): Iterable<VersionedPinEntry> {
    return pinEntriesOf(this.#entries);
  }

  /** Every entry, oldest first. */
  get entries(): Iterable<ThreadEntry> {
    return this.#entries;
  }

  /** Every message, oldest first. */
  get messages(): Iterable<Message> {
    return this.#messages;
  }

  /** The entries that are in memory, each with the version that it made: all of them unless the thread was resumed. */
  *entriesInMemory(): Iterable<{ readonly version: number; readonly entry: ThreadEntry }> {
    for (const [place, entry] of this.#entries.inMemory()) yield { version: place + 1, entry };
  }

  /** The same without the messages of some runs, which must be in order; the skipped messages cost nothing (P9). */
  entriesBesides(runs: readonly OrdinalRun[]): Iterable<{ readonly version: number; readonly entry: ThreadEntry }> {
    return runs.length === 0 || !this.isWhole ? this.entriesInMemory() : entriesBesides(this.#entries, runs);
  }

  /** The messages that are in memory, oldest first: all of them unless the thread was resumed. */
  *messagesInMemory(): Iterable<Message> {
    for (const [, message] of this.#messages.inMemory()) yield message;
  }

  /** Returns the entries after one version, up to and including another. */
  entriesBetween(fromVersion: number, toVersion: number = this.version): readonly ThreadEntry[] {
    return this.#entries.slice(fromVersion, toVersion);
  }

  /** Returns the messages from one ordinal up to, but not including, another. */
  messagesBetween(fromOrdinal: number, toOrdinal: number = this.length): readonly Message[] {
    return this.#messages.slice(fromOrdinal, toOrdinal);
  }

  messageAt(ordinal: number): Message | undefined {
    return this.#messages.at(ordinal);
  }

  message(id: MessageId): Message | undefined {
    const found = this.messageInMemory(id);
    if (found === undefined && !this.#messages.isWhole) throw historyNotLoaded();
    return found;
  }

  /** Returns a message if it is in memory; a thread that is not whole may have it in the store instead. */
  messageInMemory(id: MessageId): Message | undefined {
    const ordinal = this.#index.ordinalOf(id);
    const found = ordinal === undefined ? undefined : this.#messages.at(ordinal);
    return found?.id === id ? found : undefined;
  }

  /**
   * Returns this thread with more of its messages in memory. A resumed thread needs this to recognize a message that is
   * about to be appended again.
   */
  holding(messages: readonly { readonly version: number; readonly message: Message }[]): AgentThread {
    const window = this.#window;
    if (window === undefined || this.isWhole) return this;
    const held = new Map(window.held.map((one) => [one.version, one]));
    for (const { version, message } of messages)
      if (version <= window.version) held.set(version, { version, entry: { type: "message", message } });
    if (held.size === window.held.length) return this;
    const ordered = [...held.values()].sort((a, b) => a.version - b.version);
    return AgentThread.resume(this.id, { ...window, held: ordered }, this.#entries.slice(window.version));
  }

  /** Appends messages; see {@link appendEntries}. */
  append(messages: readonly MessageInput[]): AgentThread {
    requireMessageList(messages);
    return this.appendEntries(messages.map((message) => ({ type: "message", message })));
  }

  /**
   * Appends entries and returns the new thread. It takes ownership of its input: values whose keys are in canonical
   * order are frozen, not copied. A message with a known id and equal content is skipped, and so is a known pin:
   * appending twice is the same as appending once (C5). A resumed thread knows only the ids of messages in memory; see
   * {@link AgentThread.holding}. If it throws, nothing is appended.
   *
   * @throws ThreadfoldError `INVALID_MESSAGE` when a message does not match its schema; `INVALID_JSON` when it
   * contains, outside its schema, something that no store could keep; `DUPLICATE_MESSAGE_ID` when a known id comes with
   * other content; `INVALID_PIN` when a known pin id comes with another text or authority, or when a lifting names no
   * live pin or has too little authority.
   */
  appendEntries(inputs: readonly ThreadEntryInput[]): AgentThread {
    return finishSteps(this.appendEntriesInSteps(inputs));
  }

  /** Does the same as {@link appendEntries}, in steps. */
  *appendEntriesInSteps(inputs: readonly ThreadEntryInput[]): Steps<AgentThread> {
    const addition = new ThreadAddition(this.#position, this.#messages.length, this.#pins, (id) =>
      this.messageInMemory(id),
    );
    yield* addition.addInSteps(inputs);
    if (addition.entries.length === 0) return this;
    return new AgentThread(
      this.id,
      this.#entries.append(addition.entries),
      this.#messages.append(addition.messages),
      this.#index.extend(this.#messages, addition.messages),
      addition.position,
      addition.pins,
      this.#window,
    );
  }

  /**
   * Returns a separate thread that begins with this one's first entries and shares them. Ids, ordinals, turns and steps
   * stay the same.
   *
   * @param atVersion the number of entries that the fork begins with; all of them by default.
   */
  fork(id: ThreadId, atVersion: number = this.version): AgentThread {
    if (atVersion === this.version) {
      return new AgentThread(id, this.#entries, this.#messages, this.#index, this.#position, this.#pins, this.#window);
    }
    const entries = this.#entries.prefix(atVersion);
    const messages = this.#messages.prefix(countMessages(entries, this.#messages.start));
    const index = this.#index.prefix(messages.length);
    const position = positionAfter(messages, this.#window);
    return new AgentThread(id, entries, messages, index, position, livePinsOf(entries), this.#window);
  }

  /** Returns this thread as it was when it had this many entries. */
  atVersion(version: number): AgentThread {
    return version >= this.version ? this : this.fork(this.id, version);
  }

  /**
   * The running hash over all entries, in hexadecimal: the link of entry n is the SHA-256 of link n−1 and the digest of
   * entry n. Equal digests mean equal logs. Links are kept, so after an append only new entries are hashed.
   */
  get digest(): string {
    return finishSteps(this.digestInSteps());
  }

  /** Computes the same as {@link digest}, in steps. */
  digestInSteps(): Steps<string> {
    return chainDigestInSteps(this.#entries, this.#entries.start > 0 ? this.#window?.digest : undefined);
  }
}

/** @param before the number of messages before the list's start. */
function countMessages(entries: AppendOnlyList<ThreadEntry>, before: number): number {
  for (let index = entries.length - 1; index >= entries.start; index--) {
    const entry = entries.at(index);
    if (entry?.type === "message") return entry.message.ordinal + 1;
  }
  return entries.start === 0 ? 0 : before;
}

const messagesOf = (entries: Iterable<ThreadEntry>): readonly Message[] =>
  [...entries].flatMap((entry) => (entry.type === "message" ? [entry.message] : []));

function positionAfter(messages: AppendOnlyList<Message>, window?: ThreadWindow): ThreadPosition {
  if (window !== undefined && messages.start > 0 && messages.length === messages.start) return window.position;
  const last = messages.at(messages.length - 1);
  return last === undefined ? START_OF_THREAD : { turn: last.turn, step: last.step };
}

function livePinsOf(entries: AppendOnlyList<ThreadEntry>): ReadonlyMap<PinId, Pin> {
  const pins = new Map<PinId, Pin>();
  for (const { entry } of pinEntriesOf(entries)) {
    if (entry.type === "pin") pins.set(entry.pin.id, entry.pin);
    else pins.delete(entry.pinId);
  }
  return pins;
}

/** A pin or a lifting, with the thread version that it made. */
export interface VersionedPinEntry {
  readonly version: number;
  readonly entry: PinEntry | PinLiftedEntry;
}

/** How far a growing log was searched for pins: its past is requested again and again, and few entries are pins. */
const pinsOfFamily = new WeakMap<object, { until: number; readonly found: VersionedPinEntry[] }>();

/** Iterates over the pins and liftings of a log, in order. */
function* pinEntriesOf(entries: AppendOnlyList<ThreadEntry>): Iterable<VersionedPinEntry> {
  const known = pinsOfFamily.get(entries.family) ?? { until: 0, found: [] };
  pinsOfFamily.set(entries.family, known);
  for (const { place, entry } of entriesFrom(entries, known.until))
    if (entry.type !== "message") known.found.push({ version: place + 1, entry });
  known.until = Math.max(known.until, entries.length);
  for (const found of known.found) if (found.version <= entries.length) yield found;
}

/** Iterates over the entries in memory from an index on. */
function* entriesFrom(entries: AppendOnlyList<ThreadEntry>, from: number) {
  if (from < entries.start) for (const [place, entry] of entries.inMemory()) yield { place, entry };
  else for (let place = from; place < entries.length; place++) yield { place, entry: entries.at(place) as ThreadEntry };
}

/**
 * What is needed of a thread's first entries to resume it after them: figures about all of them, and a few of them
 * whole. The others are still in the store.
 */
export interface ThreadWindow {
  /** The number of these entries. */
  readonly version: number;
  /** The number of messages among them. */
  readonly length: number;
  /** The turn and step of the newest message among them. */
  readonly position: ThreadPosition;
  /** The thread's digest after them. */
  readonly digest: string;
  /**
   * The entries in memory, oldest first, each with the thread version that it made. They include all pins and liftings,
   * because the pins in force now depend on all of them.
   */
  readonly held: readonly { readonly version: number; readonly entry: ThreadEntry }[];
}
