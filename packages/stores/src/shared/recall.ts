import { type Message, passageText, type RecallHit, type RecallPassage, ThreadfoldError } from "@threadfold/core";

const TEXTS = ["messageId", "role", "createdAt"] as const satisfies readonly (keyof RecallPassage)[];
const COUNTS = [
  "ordinal",
  "turn",
  "step",
  "start",
  "end",
  "length",
  "words",
] as const satisfies readonly (keyof RecallPassage)[];

/** Parses a passage as an index stores it. @throws ThreadfoldError `STORE_CORRUPT` when the text is not a passage. */
export function recallPlaceOf(text: string): RecallPassage {
  const place = parse(text);
  if (isPassage(place)) return place;
  throw damagedIndex("a passage of it cannot be read");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text is not quoted, because it may be content.
    return undefined;
  }
}

/**
 * Checks the shape of a passage without a schema, because a search looks at thousands of them. Passages that are
 * returned are also checked against their messages.
 */
function isPassage(value: unknown): value is RecallPassage {
  if (typeof value !== "object" || value === null) return false;
  const { branch, toolName, ...place } = value as RecallPassage;
  return (
    TEXTS.every((name) => typeof place[name] === "string") &&
    COUNTS.every((name) => Number.isSafeInteger(place[name]) && place[name] >= 0) &&
    [branch, toolName].every((text) => text === undefined || typeof text === "string")
  );
}

/**
 * Returns a search result for a passage: its place, and the piece of the message that is there.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when the message does not match what the index says about it.
 */
export function recallHitOf({ words: _words, ...place }: RecallPassage, message: Message, score: number): RecallHit {
  const { ordinal, turn, step, role, createdAt, branch } = message;
  const said = { ordinal, turn, step, role, createdAt, branch };
  const isOther = Object.entries(said).some(([name, value]) => place[name as keyof typeof said] !== value);
  const excerpt = passageText(message, place);
  if (isOther || place.end > place.length || excerpt.length !== place.end - place.start)
    throw damagedIndex(`what it says about message ${message.id} does not match the message`);
  return Object.freeze({ ...place, score, excerpt });
}

const damagedIndex = (problem: string): ThreadfoldError =>
  new ThreadfoldError("STORE_CORRUPT", `The search index of the thread is damaged: ${problem}.`, {
    hint: "Remove the thread from the index and index it again; its log is not affected.",
  });
