import { type AgentThread, EventLoopTurns, type Message, recallTerms } from "@threadfold/core";
import { type MemoryRecallIndex, recallQuery } from "@threadfold/rehydration";
import type { MessageTable } from "../messages/message-table.ts";
import { type GoneRow, type GoneSearch, isGone } from "../rows/message-row.ts";
import type { LateNeed } from "./late-needs.ts";

/**
 * Limits how many search results a file contains. One search in a thread of n messages costs n, so a thread of up to a
 * thousand messages gets results for all of them.
 */
const SEARCH_WORK = 1_000_000;
/** Minimum number of searches, even in the longest thread: for messages that were needed, and the largest. */
const FEWEST_SEARCHED = 100;
const QUERY_WORDS = 12;
const ANSWERS = 10;
const MOST_NEEDED = 12;

/** The messages that the newest request does not show unchanged, and the search result for each on demand. */
export class GoneMessages {
  /** Largest first. */
  readonly rows: readonly GoneRow[];
  readonly #thread: AgentThread;
  readonly #byMessage: ReadonlyMap<number, GoneRow>;
  readonly #searches = new Map<number, Promise<GoneSearch>>();
  readonly #recall: MemoryRecallIndex;
  #indexed: Promise<void> | undefined;

  /**
   * @param recall the index to search: it may have the thread from an earlier plan, and then only adds what is new.
   */
  constructor(thread: AgentThread, messages: MessageTable, needs: readonly LateNeed[], recall: MemoryRecallIndex) {
    this.#thread = thread;
    this.#recall = recall;
    this.rows = goneRows(messages, needs);
    this.#byMessage = new Map(this.rows.map((row) => [row.message, row]));
  }

  /** Searches for a message, once; null for one that is not folded. The thread is indexed at the first search. */
  async search(message: number): Promise<GoneSearch | null> {
    const row = this.#byMessage.get(message);
    if (row === undefined) return null;
    const asked = this.#searches.get(message) ?? this.#ask(row);
    this.#searches.set(message, asked);
    return asked;
  }

  /**
   * Returns the search results for a file, which cannot search later: for all messages, or, in a long thread, for those
   * that were needed and the largest.
   */
  async mostWanted(): Promise<readonly GoneSearch[]> {
    const needed = this.rows.filter(({ neededBy }) => neededBy.length > 0);
    const most = Math.max(FEWEST_SEARCHED, Math.floor(SEARCH_WORK / this.#thread.length));
    const wanted = [...new Set([...needed, ...this.rows])].slice(0, most);
    const found: GoneSearch[] = [];
    const turns = new EventLoopTurns();
    for (const { message } of wanted) {
      const search = await this.search(message);
      if (search !== null) found.push(search);
      if (turns.isDue) await turns.turn();
    }
    return found;
  }

  async #ask({ message: ordinal, needed }: GoneRow): Promise<GoneSearch> {
    const message = this.#thread.messageAt(ordinal);
    const query = message === undefined ? "" : queryFor(message, needed);
    if (recallTerms(query).length === 0) return { message: ordinal, asked: false, query: "", rank: null };
    this.#indexed ??= this.#recall.index(this.#thread.id, this.#thread.messages);
    await this.#indexed;
    const { hits } = await this.#recall.search(this.#thread.id, { text: query, limit: ANSWERS });
    const place = hits.findIndex(({ messageId }) => messageId === message?.id);
    return { message: ordinal, asked: true, query, rank: place < 0 ? null : place + 1 };
  }
}

function goneRows(messages: MessageTable, needs: readonly LateNeed[]): readonly GoneRow[] {
  const byMessage = Map.groupBy(needs, ({ message }) => message);
  const { state, record } = messages.places.columns;
  const { tokens } = messages.logged.columns;
  return [...state.keys()]
    .filter((ordinal) => isGone(state[ordinal]))
    .map((message): GoneRow => {
      const needed = byMessage.get(message) ?? [];
      return {
        message,
        tokens: tokens[message] ?? 0,
        record: record[message] ?? -1,
        neededBy: [...new Set(needed.map(({ call }) => call))],
        needed: [...new Set(needed.map(({ text }) => text))].slice(0, MOST_NEEDED),
      };
    })
    .sort((a, b) => b.tokens - a.tokens || a.message - b.message);
}

/** Returns the query that an agent would use: the names it used, or else the distinctive words of the message. */
const queryFor = (message: Message, needed: readonly string[]): string =>
  needed.length > 0 ? needed.join(" ") : recallQuery([message]).split(" ").slice(0, QUERY_WORDS).join(" ");
