import { type AgentThread, type Message, type RecallHit, recallTerms, visibleText } from "@threadfold/core";
import { namesInText, quotedTexts } from "./names.ts";

/** The number of messages at the end of a conversation from which the next need is derived. */
export const QUERY_MESSAGES = 6;
/** How much of a message is read, from its beginning and from its end, in UTF-16 code units. */
const READ_PER_END = 4_000;
/** The most words that a query may have. */
const MAX_WORDS = 400;
const WORD = /[\p{L}\p{N}_$](?:[\p{L}\p{N}\p{M}_$]|[./:@#\\-]+(?=[\p{L}\p{N}_$]))*/gu;
const ESCAPED_SPACE = /\\[nrt]/g;
/** A name has something that plain words lack: a separator, a digit next to a letter, an inner capital. */
const NAME = /[\p{L}\p{N}][_./:@#\\][\p{L}\p{N}]|\p{Ll}\p{Lu}|\p{L}\d|\d\p{L}|_/u;

/**
 * Builds a query for what an agent is about to need, from its last messages alone. Names and words that are rare in
 * those messages come first, as do words from newer messages and from text other than tool results. Pure: the same
 * messages make the same query. The index knows which of the words are rare in the whole thread (see
 * `RecallRequest.text`).
 */
export function recallQuery(lastMessages: readonly Message[]): string {
  const worth = new Map<string, number>();
  lastMessages.slice(-QUERY_MESSAGES).forEach((message, index, all) => {
    const age = all.length - 1 - index;
    const said = message.role === "tool" ? 1 : 2;
    for (const [word, times] of wordsOf(message)) {
      const score = ((NAME.test(word) ? 3 : 1) * said * Math.log1p(word.length)) / ((1 + age / 4) * Math.sqrt(times));
      worth.set(word, Math.max(worth.get(word) ?? 0, score));
    }
  });
  // Sorting is stable, so words of equal worth stay in the order in which they were said.
  return [...worth]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_WORDS)
    .map(([word]) => word)
    .join(" ");
}

/** Returns the words of a message that can be searched for, and how often each occurs in it. */
function wordsOf(message: Message): ReadonlyMap<string, number> {
  const text = visibleText(message).replace(ESCAPED_SPACE, " ");
  const read = text.length <= 2 * READ_PER_END ? text : `${text.slice(0, READ_PER_END)} ${text.slice(-READ_PER_END)}`;
  const words = new Map<string, number>();
  for (const [word] of read.matchAll(WORD)) {
    const times = words.get(word) ?? 0;
    if (times > 0 || (word.length <= 200 && recallTerms(word).length > 0)) words.set(word, times + 1);
  }
  return words;
}

/**
 * The extra weight of a passage from a file that the newest messages are about, and of one that contains a quote of the
 * query. Tuned on recorded sessions.
 */
const IN_FOCUS = 2;
const QUOTED = 4;
/** A call is searched for in this many messages before its result. */
const FARTHEST_CALL = 64;

/**
 * Reorders hits for the reader: passages that contain a quote of the query word for word gain most, and those from
 * files that the newest messages are about gain too. Ties stay in the order of the index.
 */
export function weighHits(hits: readonly RecallHit[], query: string, thread: AgentThread): readonly RecallHit[] {
  const quotes = quotedTexts(query).map(folded);
  const focus = filesInFocus(thread);
  if (quotes.length === 0 && focus.size === 0) return hits;
  return hits
    .map((hit): RecallHit => {
      const factor =
        1 +
        (quotes.length > 0 && holdsQuote(hit, quotes) ? QUOTED : 0) +
        (focus.size > 0 && isInFocus(thread, hit, focus) ? IN_FOCUS : 0);
      return factor === 1 ? hit : { ...hit, score: hit.score * factor };
    })
    .sort((a, b) => b.score - a.score);
}

/** Ignores case and differences in whitespace. */
const folded = (text: string): string => text.toLowerCase().replace(/\s+/g, " ");

function holdsQuote({ excerpt }: RecallHit, quotes: readonly string[]): boolean {
  const text = folded(excerpt);
  return quotes.some((quote) => text.includes(quote));
}

/**
 * The files that the newest messages name in calls, by their last two path segments: a file's path is written many
 * ways.
 */
function filesInFocus(thread: AgentThread): ReadonlySet<string> {
  const newest = thread.messagesBetween(Math.max(0, thread.length - QUERY_MESSAGES));
  return new Set(newest.filter(({ branch }) => branch === undefined).flatMap(filesOfCalls));
}

function isInFocus(thread: AgentThread, hit: RecallHit, focus: ReadonlySet<string>): boolean {
  const message = thread.message(hit.messageId);
  if (message === undefined) return false;
  const speaker = message.role === "tool" ? callOf(thread, message) : message;
  return speaker !== undefined && filesOfCalls(speaker).some((file) => focus.has(file));
}

/** Finds the message that made the call that a result answers. */
function callOf(thread: AgentThread, { ordinal, parts }: Message): Message | undefined {
  const ids = new Set(parts.flatMap((part) => (part.type === "tool-result" ? [part.result.callId] : [])));
  for (let place = ordinal - 1; place >= Math.max(0, ordinal - FARTHEST_CALL); place--) {
    const message = thread.messageAt(place);
    if (message?.parts.some((part) => part.type === "tool-call" && ids.has(part.callId))) return message;
  }
  return undefined;
}

const known = new WeakMap<Message, readonly string[]>();

function filesOfCalls(message: Message): readonly string[] {
  const before = known.get(message);
  if (before !== undefined) return before;
  const calls = visibleText({ parts: message.parts.filter(({ type }) => type === "tool-call") });
  const files = namesInText(calls)
    .filter((name) => name.includes("/"))
    .map((path) => path.split("/").slice(-2).join("/"));
  known.set(message, files);
  return files;
}
