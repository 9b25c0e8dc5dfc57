import { type MessageId, type Part, type Pin, type SystemEntry, systemText, toolResultText } from "@threadfold/core";
import type { Draft } from "../neutral/draft.ts";
import { PINS_HEADER, quotedPin } from "../neutral/pins.ts";

/**
 * Returns the pins whose exact text appears nowhere in the request: neither quoted in a block of pins, with their
 * authority, nor verbatim in system text or a message.
 */
export function missingPins(
  pins: readonly Pin[],
  system: readonly SystemEntry[],
  drafts: readonly Draft[],
): readonly Pin[] {
  if (pins.length === 0) return [];
  const search = new PinSearch(system, drafts);
  return pins.filter((pin) => !search.finds(pin));
}

/** Looks in the most likely places for a pin before it searches the whole request. */
class PinSearch {
  readonly #system: readonly string[];
  /** Messages of the thread and their replacements, without the messages that rendering made to show pins. */
  readonly #drafts: readonly Draft[];
  /** The lines of all blocks of pins. */
  readonly #pinned: ReadonlySet<string>;
  #byId: ReadonlyMap<MessageId, Draft> | undefined;

  constructor(system: readonly SystemEntry[], drafts: readonly Draft[]) {
    this.#system = system.map(systemText);
    this.#drafts = drafts.filter(({ action }) => action !== "pins");
    this.#pinned = new Set(drafts.filter(({ action }) => action === "pins").flatMap(linesOfBlock));
  }

  finds(pin: Pin): boolean {
    const { text, source } = pin;
    return (
      this.#pinned.has(quotedPin(pin)) ||
      (source !== undefined && this.#quotes(source.messageId, text)) ||
      this.#system.some((part) => part.includes(text)) ||
      this.#drafts.some((draft) => holds(draft.chat.parts, text))
    );
  }

  #quotes(messageId: MessageId, text: string): boolean {
    this.#byId ??= draftsById(this.#drafts);
    return this.#byId.get(messageId)?.chat.parts.some((part) => wholeTextOf(part)?.includes(text)) === true;
  }
}

/** The first draft of each message. */
function draftsById(drafts: readonly Draft[]): ReadonlyMap<MessageId, Draft> {
  const byId = new Map<MessageId, Draft>();
  for (const draft of drafts)
    if (draft.message !== null && !byId.has(draft.message.id)) byId.set(draft.message.id, draft);
  return byId;
}

/** Returns the pins of a block as they appear there; nothing for a message about a lifted pin. */
function linesOfBlock({ chat }: Draft): readonly string[] {
  const lines = chat.parts.flatMap((part) => wholeTextOf(part)?.split("\n") ?? []);
  return lines[0] === PINS_HEADER ? lines.slice(1) : [];
}

/**
 * Checks whether one of a message's texts contains this text. Arguments of calls are not a place for an instruction.
 */
function holds(parts: readonly Part[], text: string): boolean {
  return parts.some((part) => textOf(part)?.includes(text) === true);
}

/** Returns text that needs no work; a JSON result is serialized only if a pin names it as its source. */
function textOf(part: Part): string | undefined {
  return part.type === "tool-result" && part.result.content.type === "json" ? undefined : wholeTextOf(part);
}

function wholeTextOf(part: Part): string | undefined {
  if (part.type === "text" || part.type === "reasoning") return part.text;
  return part.type === "tool-result" ? toolResultText(part.result.content) : undefined;
}
