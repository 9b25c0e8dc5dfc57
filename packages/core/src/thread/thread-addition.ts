import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { canonicalForm, toCanonicalValue } from "../json/canonical-json.ts";
import type * as z from "../json/schema.ts";
import { digestOf } from "../json/sha256.ts";
import type { MessageId, PinId } from "../model/ids.ts";
import { type Message, type MessageInput, messageInputSchema } from "../model/message.ts";
import type { Steps } from "../time/steps.ts";
import { isCommonMessage, messageProblem } from "./message-check.ts";
import {
  authoritySchema,
  knownForms,
  mayLift,
  type Pin,
  type PinEntry,
  type PinLiftedEntry,
  pinSchema,
  type ThreadEntry,
  type ThreadEntryInput,
  threadEntryInputSchema,
} from "./thread-entry.ts";

/**
 * Collects the entries of one append: places messages and checks ids and pins, without changing the log. It only needs
 * to know where the log ends, its message ids and its live pins, so a store can append without loading a thread.
 */
export class ThreadAddition {
  readonly entries: ThreadEntry[] = [];
  readonly messages: Message[] = [];
  position: ThreadPosition;
  pins: ReadonlyMap<PinId, Pin>;
  readonly #firstOrdinal: number;
  readonly #existing: (id: MessageId) => Message | undefined;
  readonly #added = new Map<MessageId, Message>();

  /**
   * @param position turn and step of the newest message in the log.
   * @param firstOrdinal the number of messages in the log.
   * @param pins the live pins of the log, or at least those that the entries name.
   * @param existing finds a message of the log by id.
   */
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

  /** Adds entries one by one, in steps. @throws ThreadfoldError as `AgentThread.appendEntries` does. */
  *addInSteps(inputs: readonly ThreadEntryInput[]): Steps<void> {
    for (const input of inputs) {
      this.add(input);
      yield;
    }
  }

  /** Adds one entry, unless the log already has it. @throws ThreadfoldError as `AgentThread.appendEntries` does. */
  add(input: ThreadEntryInput): void {
    switch (input.type) {
      case "message":
        return this.#addMessage(input);
      case "pin":
        return this.#addPin(input.pin);
      case "pin-lifted":
        return this.#liftPin(input);
      default:
        throw new ThreadfoldError(
          "INVALID_MESSAGE",
          `An entry has the unknown type ${String((input as { type?: unknown }).type)}.`,
        );
    }
  }

  #addMessage(entry: MessageEntryInput): void {
    const input = entry.message;
    const made = isMade(entry) ? entry : undefined;
    if (made === undefined) checkMessage(input);
    const known = this.#added.get(input.id) ?? this.#existing(input.id);
    if (known !== undefined) return refuseChanged(known, input);
    const ordinal = this.#firstOrdinal + this.messages.length;
    this.position = placeMessage(this.position, input);
    const place = { ordinal, ...this.position };
    const placed = made !== undefined && isAt(made.message, place) ? made : makeEntry(input, place);
    this.#added.set(placed.message.id, placed.message);
    this.messages.push(placed.message);
    this.entries.push(placed);
  }

  #addPin(pin: Pin): void {
    checkPin(pin);
    const known = this.pins.get(pin.id);
    if (known?.text === pin.text && known.authority === pin.authority) return;
    if (known !== undefined) {
      throw new ThreadfoldError(
        "INVALID_PIN",
        `Pin ${pin.id} is already in the thread with a different text or authority.`,
        {
          hint: "Give the new pin a new id.",
        },
      );
    }
    const entry = toCanonicalValue<PinEntry>({ pin, type: "pin" });
    this.pins = new Map(this.pins).set(pin.id, entry.pin);
    this.entries.push(entry);
  }

  #liftPin(entry: PinLiftedEntry): void {
    checkLifting(entry);
    const pin = this.pins.get(entry.pinId);
    if (pin === undefined)
      throw new ThreadfoldError("INVALID_PIN", `There is no live pin ${entry.pinId} to lift.`, {
        hint: "`thread.livePins` lists the pins in force, with their ids.",
      });
    if (!mayLift(entry.authority, pin.authority)) {
      throw new ThreadfoldError(
        "INVALID_PIN",
        `Pin ${pin.id} of authority ${pin.authority} cannot be lifted by ${entry.authority}.`,
      );
    }
    const pins = new Map(this.pins);
    pins.delete(pin.id);
    this.pins = pins;
    this.entries.push(toCanonicalValue({ ...entry }));
  }
}

type MessageEntry = Extract<ThreadEntry, { type: "message" }>;
type MessageEntryInput = Extract<ThreadEntryInput, { type: "message" }>;
type Place = Pick<Message, "ordinal" | "turn" | "step">;

/** True for an entry that an addition made: it is already checked and frozen, so neither is done again. */
const isMade = (entry: MessageEntryInput): entry is MessageEntry =>
  knownForms.get(entry as MessageEntry)?.isChecked === true;

const isAt = (message: Message, { ordinal, turn, step }: Place): boolean =>
  message.ordinal === ordinal && message.turn === turn && message.step === step;

function makeEntry(input: MessageInput, place: Place): MessageEntry {
  const { value: entry, stringifies } = canonicalForm<MessageEntry>({
    message: { ...input, ...place },
    type: "message",
  });
  knownForms.set(entry, { isChecked: true, stringifies, digest: undefined });
  return entry;
}

function checkMessage(input: MessageInput): void {
  if (isCommonMessage(input)) return;
  const checked = messageInputSchema.safeParse(input);
  if (checked.success) return;
  const [issue] = checked.error.issues as [z.core.$ZodIssue];
  const { path, problem, hint } = messageProblem(input, issue);
  const where = path.join(".").toWellFormed() || "the message";
  const which = input?.id === undefined ? "A message" : `Message ${String(input.id)}`;
  throw new ThreadfoldError("INVALID_MESSAGE", `${which}: ${where}: ${problem}.`, {
    details: { messageId: String(input?.id), path: path.map(String) },
    ...(hint !== undefined && { hint }),
  });
}

function checkPin(pin: Pin): void {
  const issue = pinSchema.safeParse(pin).error?.issues[0];
  if (issue === undefined) return;
  throw new ThreadfoldError(
    "INVALID_PIN",
    `Pin ${String(pin?.id)}: ${issue.path.join(".") || "the pin"}: ${issue.message}.`,
    { hint: pinHint(issue) },
  );
}

function pinHint({ path: [field] }: z.core.$ZodIssue): string {
  switch (field) {
    case "text":
      return "Pin a text that is not empty and has no lone surrogate; it is kept word for word.";
    case "authority":
      return `An authority is one of ${authoritySchema.options.join(", ")}.`;
    case "reason":
      return "Say in the reason why the pin is lifted; it stays in the log.";
    default:
      return "Compare it with the Pin and PinLiftedEntry types; the error names the field.";
  }
}

function checkLifting(entry: PinLiftedEntry): void {
  const issue = threadEntryInputSchema.safeParse(entry).error?.issues[0];
  if (issue === undefined) return;
  throw new ThreadfoldError(
    "INVALID_PIN",
    `Lifting pin ${String(entry.pinId)}: ${issue.path.join(".")}: ${issue.message}.`,
    { hint: pinHint(issue) },
  );
}

function refuseChanged(known: Message, input: MessageInput): void {
  const { ordinal: _ordinal, turn: _turn, step: _step, ...before } = known;
  const { ordinal: _o, turn: _t, step: _s, ...after } = input as Message;
  if (digestOf(before) === digestOf(after)) return;
  const differs = differingFields(before, after);
  throw new ThreadfoldError(
    "DUPLICATE_MESSAGE_ID",
    `Message ${input.id} is already in the thread with different content: ${inWords(differs)} ${differs.length === 1 ? "differs" : "differ"}.`,
    {
      details: { messageId: input.id, ordinal: known.ordinal, differs },
      // The mistake of a program that creates its message anew every time it starts.
      ...(differs.join() === "createdAt" && {
        hint: "If it is the same message, pass it with its original createdAt, or not at all: the thread already has it. If it is a different one, give it a new id.",
      }),
    },
  );
}

function differingFields(before: object, after: object): readonly string[] {
  const [known, given] = [before, after].map((message) => new Map(Object.entries(message)));
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.filter((name) => digestOf({ value: known?.get(name) }) !== digestOf({ value: given?.get(name) }));
}

const inWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** The position of a message in a conversation. */
export interface ThreadPosition {
  /** The number of real user messages on the main branch so far; 0 before the first one. */
  readonly turn: number;
  /** The number of model calls so far: one for each assistant message. */
  readonly step: number;
}

/** The position before the first message of a thread. */
export const START_OF_THREAD: ThreadPosition = Object.freeze({ turn: 0, step: 0 });

/** True when a message starts a turn: a user message on the main branch that somebody typed (S3). */
export function startsTurn(message: MessageInput): boolean {
  return message.role === "user" && message.origin === undefined && message.branch === undefined;
}

/** Returns the position of a message that follows one at `before`. */
export function placeMessage(before: ThreadPosition, message: MessageInput): ThreadPosition {
  if (message.role === "assistant") return { turn: before.turn, step: before.step + 1 };
  return startsTurn(message) ? { turn: before.turn + 1, step: before.step } : before;
}

/**
 * Checks that messages are given as a list; does not check the messages.
 *
 * @throws ThreadfoldError `INVALID_MESSAGE` when the value is not an array.
 */
export function requireMessageList(messages: readonly MessageInput[]): void {
  if (Array.isArray(messages)) return;
  const found = messages === null ? "null" : `a value of type ${typeof messages}`;
  throw new ThreadfoldError("INVALID_MESSAGE", `Messages are appended as a list; this is ${found}.`, {
    hint: "Put a single message in brackets: `append([message])`.",
  });
}
