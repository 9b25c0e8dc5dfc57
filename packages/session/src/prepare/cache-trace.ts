import {
  canonicalJson,
  finishSteps,
  type JournalEntry,
  type PrefixChange,
  READ_ARTIFACT_TOOL_NAME,
  type RequestCacheRecord,
  type RequestPrefix,
  SEARCH_THREAD_TOOL_NAME,
  type Steps,
} from "@threadfold/core";
import { type BreakpointPlaces, type PrefixDivergence, prefixDiff, type Rendering } from "@threadfold/renderer";
import type { ThreadState } from "@threadfold/turn";
import { PrefixChain } from "./prefix-chain.ts";

/** A request as it goes out, as far as the prompt cache is concerned. */
export interface TracedRequest {
  readonly rendering: Rendering;
  /** Where cached prefixes end; null when no breakpoints were placed here. */
  readonly marks: BreakpointPlaces | null;
  /** Id of the price row. */
  readonly price: string | undefined;
  readonly state: ThreadState;
  /** Tokens of system text and tools. */
  readonly overheadTokens: number;
  /** Requests of an earlier session, oldest first. */
  readonly before: readonly JournalEntry[];
}

/** What two consecutive requests have in common. */
interface SharedBeginning {
  /** Number of shared messages; -1 when not even model, tools and system text are the same. */
  readonly messages: number;
  /** Why the shared part ends there; null when the later request extends the earlier one. */
  readonly change: PrefixChange | null;
}

/**
 * A prefix of an earlier request that may be in the provider's cache, and the price row that it was first written
 * under.
 */
type RememberedPrefix = Pick<RequestPrefix, "digest" | "messages"> & { readonly price: string | undefined };

/** Maximum number of remembered prefixes that are looked for in a later request. */
const REMEMBERED = 32;

/** Answers of the recall tools: how many, and their tokens. */
interface RecallAnswers {
  readonly answers: number;
  readonly tokens: number;
}

const NOTHING_RECALLED: RecallAnswers = Object.freeze({ answers: 0, tokens: 0 });

/** Messages that are read in one step, in a millisecond or less. */
const AT_A_TIME = 2_048;

/**
 * Determines for each request of a session what a prompt cache may have of it. The part shared with the previous
 * request is not digested again, so the cost of a request is that of what it adds (P9).
 */
export class CacheTrace {
  #before: { readonly rendering: Rendering; readonly chain: PrefixChain } | undefined;
  /** Newest first. */
  #remembered: readonly RememberedPrefix[] = [];
  /** Answers of the recall tools since the previous request, and the number of messages up to which they are counted. */
  #recall = NOTHING_RECALLED;
  #counted: number;

  /** @param messages number of messages in the thread before the first request. */
  constructor(messages: number) {
    this.#counted = messages;
  }

  /** Reads the messages since the previous request in steps, so that {@link take} has few left. */
  *catchUp(state: ThreadState): Steps<void> {
    const { length } = state.thread;
    while (this.#counted < length) {
      const to = Math.min(length, this.#counted + AT_A_TIME);
      const { answers, tokens } = recallAnswers(state, this.#counted, to);
      this.#recall = { answers: this.#recall.answers + answers, tokens: this.#recall.tokens + tokens };
      this.#counted = to;
      if (to < length) yield;
    }
  }

  take({ rendering, marks, price, state, overheadTokens, before: earlier }: TracedRequest): RequestCacheRecord {
    const before = this.#before;
    if (before === undefined) this.#recallJournal(earlier);
    const shared = before === undefined ? null : sharedBeginning(before.rendering, rendering);
    const chain =
      shared === null || shared.messages < 0
        ? PrefixChain.of(rendering)
        : PrefixChain.of(rendering, before?.chain, shared.messages);
    const prefixes = this.#prefixes(chain, marks, shared);
    finishSteps(this.catchUp(state));
    const recall = this.#recall;
    this.#recall = NOTHING_RECALLED;
    this.#before = { rendering, chain };
    this.#remember(prefixes, price);
    return {
      ...(price !== undefined && { price }),
      ends: marks === null ? "anywhere" : "marks",
      prefixes,
      ...(shared !== null && { sharedTokens: chain.prefix(shared.messages)?.tokens ?? 0 }),
      ...(shared?.change && { change: shared.change }),
      unfoldedTokens: state.ledger.totalTokens + overheadTokens,
      ...(recall.answers > 0 && { recall }),
    };
  }

  #prefixes(
    chain: PrefixChain,
    marks: BreakpointPlaces | null,
    shared: SharedBeginning | null,
  ): readonly RequestPrefix[] {
    const ends = marks === null ? [] : [...(marks.frame ? [0] : []), ...marks.messages.map((index) => index + 1)];
    const known = this.#remembered.filter(({ digest, messages }) => chain.digestAt(messages) === digest);
    const rows = [...new Set(known.map(({ price }) => price))];
    const found = (marks === null ? [chain.length] : ends).flatMap((end) =>
      rows.map((row) =>
        nearestBefore(
          end,
          known.filter(({ price }) => price === row),
        ),
      ),
    );
    const places = new Set([0, ...ends, ...found, shared?.messages ?? 0, chain.length]);
    const sorted = [...places].sort((a, b) => a - b);
    return sorted.flatMap((place) => {
      const prefix = chain.prefix(place);
      if (prefix === undefined) return [];
      return [ends.includes(place) ? { ...prefix, marked: true } : prefix];
    });
  }

  /**
   * Remembers what may be in the cache now: every prefix if none is marked. A prefix already known keeps its price row.
   */
  #remember(prefixes: readonly RequestPrefix[], price: string | undefined): void {
    const marked = prefixes.filter(({ marked }) => marked === true);
    const written = marked.length > 0 ? marked : prefixes;
    const added = written.map(({ digest, messages }): RememberedPrefix => {
      const known = this.#remembered.find((one) => one.digest === digest);
      return { digest, messages, price: known === undefined ? price : known.price };
    });
    const others = this.#remembered.filter(({ digest }) => added.every((one) => one.digest !== digest));
    this.#remembered = [...added, ...others].slice(0, REMEMBERED);
  }

  #recallJournal(entries: readonly JournalEntry[]): void {
    for (const { record } of entries)
      if (record.type === "request-rendered" && record.cache) this.#remember(record.cache.prefixes, record.cache.price);
  }
}

/** The length of the longest remembered prefix that ends at or before a place in this request. */
const nearestBefore = (end: number, known: readonly RememberedPrefix[]): number =>
  known.reduce((nearest, { messages }) => (messages <= end ? Math.max(nearest, messages) : nearest), 0);

function sharedBeginning(before: Rendering, now: Rendering): SharedBeginning {
  const unlike = { message: -1, byte: 0 };
  if (before.manifest.model !== now.manifest.model)
    return { messages: -1, change: { ...unlike, by: "model", reason: "the model is another one" } };
  const divergence = prefixDiff(before, now);
  if (divergence !== null && divergence.message < 0) return { messages: -1, change: changeAt(divergence, before, now) };
  if (canonicalJson(before.manifest.host ?? {}) !== canonicalJson(now.manifest.host ?? {})) {
    const reason = "the host changed what it puts into the request, such as thinking or tool choice";
    return { messages: 0, change: { by: "host", message: 0, byte: 0, reason } };
  }
  if (divergence === null) return { messages: before.request.messages.length, change: null };
  return { messages: divergence.message, change: changeAt(divergence, before, now) };
}

function changeAt({ message, kind, reason }: PrefixDivergence, before: Rendering, now: Rendering): PrefixChange {
  const by = changerOf(kind, before.manifest.messages[message]?.action === "rehydration", isOtherPlan(before, now));
  return { by, message, byte: commonBytes(textAt(before, message), textAt(now, message)), reason };
}

const isOtherPlan = (before: Rendering, now: Rendering): boolean =>
  before.manifest.planVersion !== now.manifest.planVersion;

function changerOf(kind: PrefixDivergence["kind"], isRecall: boolean, isOtherPlan: boolean): PrefixChange["by"] {
  switch (kind) {
    case "system":
    case "tools":
    case "fold":
      return kind;
    case "format":
      return "host";
    case "passing":
      return isRecall ? "recall" : "host";
    default:
      return isOtherPlan ? "fold" : "host";
  }
}

function textAt({ request: { system, tools, messages } }: Rendering, index: number): string {
  if (index < 0) return canonicalJson({ system, tools });
  const message = messages[index];
  return message === undefined ? "" : canonicalJson({ role: message.role, parts: message.parts });
}

function commonBytes(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return Buffer.byteLength(a.slice(0, length));
}

const RECALL_TOOLS: readonly string[] = [READ_ARTIFACT_TOOL_NAME, SEARCH_THREAD_TOOL_NAME];

/** Counts the recall tools' answers from one ordinal up to, but not including, another. */
function recallAnswers({ thread, ledger }: ThreadState, from: number, to: number): RecallAnswers {
  const tokens = thread.messagesBetween(from, to).flatMap(({ parts: [part], ordinal }) => {
    const isRecall = part?.type === "tool-result" && RECALL_TOOLS.includes(part.result.toolName);
    return isRecall ? [ledger.header(ordinal)?.tokens ?? 0] : [];
  });
  return { answers: tokens.length, tokens: tokens.reduce((sum, one) => sum + one, 0) };
}
