import { type AgentThread, type Message, type RecallHit, visibleText } from "@threadfold/core";
import { namesInText, quotedTexts } from "./names-in-text.ts";
import { QUERY_MESSAGES } from "./recall-query.ts";

/** How much more a passage counts that is of a file which the newest messages are about, and one that holds a quote of the query. Found on recorded sessions. */
const IN_FOCUS = 2;
const QUOTED = 4;
/** A call stands at most so many messages before its result. */
const FARTHEST_CALL = 64;

/**
 * Hits as a reader needs them: what holds a quote of the query word for word first, and what is of the files that the newest
 * messages are about before what is of others. Ties stay in the order of the index.
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

/** Case and kinds of white space are no part of what was quoted. */
const folded = (text: string): string => text.toLowerCase().replace(/\s+/g, " ");

function holdsQuote({ excerpt }: RecallHit, quotes: readonly string[]): boolean {
  const text = folded(excerpt);
  return quotes.some((quote) => text.includes(quote));
}

/** The files that the newest messages name in their calls, by their last two segments: one file is written in many ways. */
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

/** The message that made the call which a result answers. */
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
