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

/** A passage as an index keeps it. @throws ThreadfoldError `STORE_CORRUPT` when the text is not a passage. */
export function recallPlaceOf(text: string): RecallPassage {
  const place = parse(text);
  if (isPassage(place)) return place;
  throw damagedIndex("a passage of it cannot be read");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What stands there instead is not repeated, for it may be content.
    return undefined;
  }
}

/**
 * A search looks at thousands of passages, so this does not use a schema. What is handed out is held against its
 * message.
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
 * What a search returns for a passage: its place, and the piece of the message that stands there.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when the message is not what the index says of it.
 */
export function recallHitOf({ words: _words, ...place }: RecallPassage, message: Message, score: number): RecallHit {
  const { ordinal, turn, step, role, createdAt, branch } = message;
  const said = { ordinal, turn, step, role, createdAt, branch };
  const isOther = Object.entries(said).some(([name, value]) => place[name as keyof typeof said] !== value);
  const excerpt = passageText(message, place);
  if (isOther || place.end > place.length || excerpt.length !== place.end - place.start)
    throw damagedIndex(`what it says of message ${message.id} is not what the message is`);
  return Object.freeze({ ...place, score, excerpt });
}

const damagedIndex = (problem: string): ThreadfoldError =>
  new ThreadfoldError("STORE_CORRUPT", `The search index of the thread is damaged: ${problem}.`, {
    hint: "Remove the thread from the index and index it again; its log is not concerned.",
  });
