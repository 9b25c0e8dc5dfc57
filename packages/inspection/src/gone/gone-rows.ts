import { type AgentThread, EventLoopTurns, type Message, recallTerms } from "@threadfold/core";
import { MemoryRecallIndex, recallQuery } from "@threadfold/rehydration";
import type { MessageTable } from "../messages/message-table.ts";
import { type GoneRow, isGone } from "../rows/message-row.ts";
import type { LateNeed } from "./late-needs.ts";

/** For so many messages search is asked whether it finds them: those that were needed, and the largest. */
const MOST_SEARCHED = 100;
const QUERY_WORDS = 12;
const ANSWERS = 10;
const MOST_NEEDED = 12;

/** The messages that the newest request does not show as they are, the largest first, and what became of them. */
export async function goneRows(
  thread: AgentThread,
  messages: MessageTable,
  needs: readonly LateNeed[],
): Promise<readonly GoneRow[]> {
  const byMessage = Map.groupBy(needs, ({ message }) => message);
  const { state, record } = messages.places.columns;
  const { tokens } = messages.logged.columns;
  const gone = [...state.keys()].filter((ordinal) => isGone(state[ordinal]));
  const rows = gone
    .map((message): GoneRow => {
      const needed = byMessage.get(message) ?? [];
      return {
        message,
        tokens: tokens[message] ?? 0,
        record: record[message] ?? -1,
        neededBy: [...new Set(needed.map(({ call }) => call))],
        needed: [...new Set(needed.map(({ text }) => text))].slice(0, MOST_NEEDED),
        asked: false,
        query: "",
        rank: null,
      };
    })
    .sort((a, b) => b.tokens - a.tokens || a.message - b.message);
  return searched(thread, rows);
}

async function searched(thread: AgentThread, rows: readonly GoneRow[]): Promise<readonly GoneRow[]> {
  if (rows.length === 0) return rows;
  const wanted = new Set([...rows.filter(({ neededBy }) => neededBy.length > 0), ...rows].slice(0, MOST_SEARCHED));
  const index = new MemoryRecallIndex();
  await index.index(thread.id, thread.messages);
  const found: GoneRow[] = [];
  const turns = new EventLoopTurns();
  for (const row of rows) {
    found.push(wanted.has(row) ? await searchedRow(thread, index, row) : row);
    if (turns.isDue) await turns.turn();
  }
  return found;
}

async function searchedRow(thread: AgentThread, index: MemoryRecallIndex, row: GoneRow): Promise<GoneRow> {
  const message = thread.messageAt(row.message);
  const query = message === undefined ? "" : queryFor(message, row.needed);
  if (recallTerms(query).length === 0) return row;
  const { hits } = await index.search(thread.id, { text: query, limit: ANSWERS });
  const place = hits.findIndex(({ messageId }) => messageId === message?.id);
  return { ...row, asked: true, query, rank: place < 0 ? null : place + 1 };
}

/** What an agent would ask for: what it named, or else the words that stand out in the message. */
const queryFor = (message: Message, needed: readonly string[]): string =>
  needed.length > 0 ? needed.join(" ") : recallQuery([message]).split(" ").slice(0, QUERY_WORDS).join(" ");
