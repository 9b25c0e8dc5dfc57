import { type AgentThread, EventLoopTurns, type Message, recallTerms } from "@threadfold/core";
import { type MemoryRecallIndex, recallQuery } from "@threadfold/rehydration";
import type { MessageTable } from "../messages/message-table.ts";
import { type GoneRow, type GoneSearch, isGone } from "../rows/message-row.ts";
import type { LateNeed } from "./late-needs.ts";

/**
 * A file says what search gives for as many messages as this work allows, where one search of a thread of n messages is n: for
 * all of a thread of a thousand messages.
 */
const SEARCH_WORK = 1_000_000;
/** As many are asked for in the longest thread: those that were needed, and the largest. */
const FEWEST_SEARCHED = 100;
const QUERY_WORDS = 12;
const ANSWERS = 10;
const MOST_NEEDED = 12;

/** The messages that the newest request does not show as they are, and what search gives for one when somebody asks. */
export class GoneMessages {
  /** The largest first. */
  readonly rows: readonly GoneRow[];
  readonly #thread: AgentThread;
  readonly #byMessage: ReadonlyMap<number, GoneRow>;
  readonly #searches = new Map<number, Promise<GoneSearch>>();
  readonly #recall: MemoryRecallIndex;
  #indexed: Promise<void> | undefined;

  /** @param recall what is asked: it may have the thread from an earlier plan, and then learns what is new. */
  constructor(thread: AgentThread, messages: MessageTable, needs: readonly LateNeed[], recall: MemoryRecallIndex) {
    this.#thread = thread;
    this.#recall = recall;
    this.rows = goneRows(messages, needs);
    this.#byMessage = new Map(this.rows.map((row) => [row.message, row]));
  }

  /** Asks for a message, once; null for one that is not gone. The thread is indexed when the first is asked for. */
  async search(message: number): Promise<GoneSearch | null> {
    const row = this.#byMessage.get(message);
    if (row === undefined) return null;
    const asked = this.#searches.get(message) ?? this.#ask(row);
    this.#searches.set(message, asked);
    return asked;
  }

  /** What nobody can ask for any more once it is in a file: all, or of a long thread those that were needed and the largest. */
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

/** What an agent would ask for: what it named, or else the words that stand out in the message. */
const queryFor = (message: Message, needed: readonly string[]): string =>
  needed.length > 0 ? needed.join(" ") : recallQuery([message]).split(" ").slice(0, QUERY_WORDS).join(" ");
