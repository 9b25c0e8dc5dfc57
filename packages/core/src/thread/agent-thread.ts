import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { digestOf } from "../json/digest.ts";
import { sha256 } from "../json/sha256.ts";
import type { MessageId, PinId, ThreadId } from "../model/ids.ts";
import { messageInputSchema, type Message, type MessageInput } from "../model/message.ts";
import { AppendOnlyList } from "./append-only-list.ts";
import { entryDigest } from "./entry-digest.ts";
import { mayLift, type Pin } from "./pin.ts";
import { placeMessage, START_OF_THREAD, type ThreadPosition } from "./thread-position.ts";
import type { PinLiftedEntry, ThreadEntry, ThreadEntryInput } from "./thread-entry.ts";

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
   * Appends entries and gives the thread that holds them. The thread takes what it is given: it is frozen, not copied. A message whose id is already there with equal content, and a
   * pin that is already there, are skipped: appending twice is the same as appending once (C5).
   *
   * @throws ThreadfoldError `INVALID_MESSAGE` when a message does not match its schema; `DUPLICATE_MESSAGE_ID` when an id comes back with other content; `INVALID_PIN` when a pin
   * id comes back with another text, or a lifting names no live pin or has too little authority. Nothing is appended then.
   */
  appendEntries(inputs: readonly ThreadEntryInput[]): AgentThread {
    const addition = new Addition(this.#position, this.#messages.length, this.#pins, (id) => this.message(id));
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
    const last = messages.at(messages.length - 1);
    const position = last === undefined ? START_OF_THREAD : { turn: last.turn, step: last.step };
    return new AgentThread(id, entries, messages, this.#index.prefix(messages.length), position, livePinsOf(entries));
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

function livePinsOf(entries: Iterable<ThreadEntry>): ReadonlyMap<PinId, Pin> {
  const pins = new Map<PinId, Pin>();
  for (const entry of entries) {
    if (entry.type === "pin") pins.set(entry.pin.id, entry.pin);
    if (entry.type === "pin-lifted") pins.delete(entry.pinId);
  }
  return pins;
}

const CHAIN_START = sha256("threadfold-thread-v1");
const chains = new WeakMap<ThreadEntry, { readonly version: number; readonly link: string }>();

function chainDigest(entries: AppendOnlyList<ThreadEntry>): string {
  let known = entries.length;
  let link = CHAIN_START;
  while (known > 0) {
    const last = chains.get(entries.at(known - 1) as ThreadEntry);
    if (last?.version === known) {
      link = last.link;
      break;
    }
    known--;
  }
  for (let index = known; index < entries.length; index++) {
    const entry = entries.at(index) as ThreadEntry;
    link = sha256(link + entryDigest(entry));
    chains.set(entry, { version: index + 1, link });
  }
  return link;
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

/** Collects the entries of one append, placing messages and checking ids before anything is shared. */
class Addition {
  readonly entries: ThreadEntry[] = [];
  readonly messages: Message[] = [];
  position: ThreadPosition;
  pins: ReadonlyMap<PinId, Pin>;
  readonly #firstOrdinal: number;
  readonly #existing: (id: MessageId) => Message | undefined;
  readonly #added = new Map<MessageId, Message>();

  constructor(
    position: ThreadPosition,
    firstOrdinal: number,
    pins: ReadonlyMap<PinId, Pin>,
    existing: (id: MessageId) => Message | undefined,
  ) {
    this.position = position;
    this.pins = pins;
    this.#firstOrdinal = firstOrdinal;
    this.#existing = existing;
  }

  add(input: ThreadEntryInput): void {
    switch (input.type) {
      case "message":
        return this.#addMessage(input.message);
      case "pin":
        return this.#addPin(input.pin);
      case "pin-lifted":
        return this.#liftPin(input);
    }
  }

  #addMessage(input: MessageInput): void {
    checkMessage(input);
    const known = this.#added.get(input.id) ?? this.#existing(input.id);
    if (known !== undefined) return refuseChanged(known, input);
    const ordinal = this.#firstOrdinal + this.messages.length;
    this.position = placeMessage(this.position, input);
    const message = freezeDeep<Message>({ ...input, ordinal, turn: this.position.turn, step: this.position.step });
    this.#added.set(message.id, message);
    this.messages.push(message);
    this.entries.push(Object.freeze({ type: "message", message }));
  }

  #addPin(pin: Pin): void {
    const known = this.pins.get(pin.id);
    if (known?.text === pin.text) return;
    if (known !== undefined) {
      throw new ThreadfoldError("INVALID_PIN", `Pin ${pin.id} is in the thread with another text.`, {
        hint: "Give the new pin an id of its own.",
      });
    }
    this.pins = new Map(this.pins).set(pin.id, freezeDeep(pin));
    this.entries.push(freezeDeep({ type: "pin", pin }));
  }

  #liftPin(entry: PinLiftedEntry): void {
    const pin = this.pins.get(entry.pinId);
    if (pin === undefined) throw new ThreadfoldError("INVALID_PIN", `There is no live pin ${entry.pinId} to lift.`);
    if (!mayLift(entry.authority, pin.authority)) {
      throw new ThreadfoldError(
        "INVALID_PIN",
        `Pin ${pin.id} of authority ${pin.authority} cannot be lifted by ${entry.authority}.`,
      );
    }
    const pins = new Map(this.pins);
    pins.delete(pin.id);
    this.pins = pins;
    this.entries.push(freezeDeep({ ...entry }));
  }
}

function checkMessage(input: MessageInput): void {
  const checked = messageInputSchema.safeParse(input);
  if (checked.success) return;
  const issue = checked.error.issues[0];
  const where = issue?.path.join(".") || "the message";
  throw new ThreadfoldError("INVALID_MESSAGE", `Message ${String(input?.id)}: ${where}: ${issue?.message}.`, {
    details: { messageId: String(input?.id), path: issue?.path.map(String) ?? [] },
  });
}

function refuseChanged(known: Message, input: MessageInput): void {
  const { ordinal: _ordinal, turn: _turn, step: _step, ...before } = known;
  const { ordinal: _o, turn: _t, step: _s, ...after } = input as Message;
  if (digestOf(before) === digestOf(after)) return;
  throw new ThreadfoldError(
    "DUPLICATE_MESSAGE_ID",
    `Message ${input.id} is already in the thread with different content.`,
    { details: { messageId: input.id, ordinal: known.ordinal } },
  );
}

function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) freezeDeep(item);
  return value;
}
