import {
  loadStemmers,
  type Message,
  passagesOf,
  type RecallHit,
  type RecallIndex,
  type RecallPage,
  type RecallPassage,
  type RecallRequest,
  type RecallSearch,
  readRecallRequest,
  searchPassages,
  type ThreadId,
} from "@threadfold/core";
import { recallHitOf, recallPlaceOf } from "../shared/recall.ts";
import { checkThreadId } from "../shared/store-basics.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { SqlSession } from "./postgres-driver.ts";
import { PostgresThreadKeys, readMessages } from "./postgres-entry-log.ts";

const INDEXED = "SELECT DISTINCT ordinal FROM @.recall_passages WHERE thread_key = $1";
const FIGURES =
  "SELECT count(*) AS passages, coalesce(sum(words), 0)::bigint AS words FROM @.recall_passages WHERE thread_key = $1";
const INSERT = `INSERT INTO @.recall_passages (thread_key, tenant, ordinal, first_offset, words, place, terms)
  SELECT $1, $2, ordinal, first_offset, words, place, ARRAY (SELECT json_array_elements_text(terms))
  FROM json_to_recordset($3::json)
    AS fresh (ordinal bigint, first_offset bigint, words bigint, place text, terms json)
  ON CONFLICT (thread_key, ordinal, first_offset) DO NOTHING`;
/** Number of passages sent together. */
const AT_A_TIME = 100;
const FIND = `SELECT passage_key, place, ARRAY (SELECT unnest(terms) INTERSECT SELECT unnest($2::text[])) AS found
  FROM @.recall_passages WHERE thread_key = $1 AND terms && $2::text[]`;
const FORGET = "DELETE FROM @.recall_passages WHERE thread_key = $1";

/**
 * Searches the log in PostgreSQL, with an inverted index (GIN) over the words of passages. Words come ready-made from
 * `recallTerms`; each is prefixed with its thread's key, so that no search matches another thread's words. Messages
 * that the log lacks cannot be found: append before you index.
 */
export class PostgresRecall implements RecallIndex {
  readonly #connection: PostgresConnection;
  readonly #keys: PostgresThreadKeys;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#keys = new PostgresThreadKeys(connection);
  }

  async index(threadId: ThreadId, messages: Iterable<Message>): Promise<void> {
    checkThreadId(threadId);
    const given = [...messages];
    const known = await this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      return threadKey === undefined ? new Set<number>() : indexedIn(session, threadKey);
    });
    const fresh = given.filter(({ ordinal }) => !known.has(ordinal));
    if (fresh.length === 0) return;
    await this.#connection.write("recall", threadId, async (session) => {
      const threadKey = await this.#keys.place(session, threadId);
      await this.#add(session, threadKey, fresh);
    });
  }

  async search(threadId: ThreadId, request: RecallRequest): Promise<RecallPage> {
    const search = await readRecallRequest(request);
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      return threadKey === undefined ? NO_PAGE : searchThread(session, threadKey, search);
    });
  }

  async remove(threadId: ThreadId): Promise<void> {
    await this.#connection.write("recall", threadId, async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      if (threadKey !== undefined) await session.query(FORGET, [threadKey]);
    });
  }

  async #add(session: SqlSession, threadKey: number, messages: readonly Message[]): Promise<void> {
    const rows: RecallRow[] = [];
    const flush = async (): Promise<void> =>
      void (await session.query(INSERT, [threadKey, this.#connection.tenant, JSON.stringify(rows.splice(0))]));
    const stemmers = await loadStemmers();
    for (const message of messages) {
      for (const { passage, terms } of passagesOf(message, stemmers)) {
        rows.push({
          ordinal: passage.ordinal,
          first_offset: passage.start,
          words: passage.words,
          place: JSON.stringify(passage),
          terms: terms.map((term) => keyedTerm(threadKey, term)),
        });
        // Waiting for the server lets others run while a long message is processed.
        if (rows.length === AT_A_TIME) await flush();
      }
    }
    if (rows.length > 0) await flush();
  }
}

async function searchThread(session: SqlSession, threadKey: number, search: RecallSearch): Promise<RecallPage> {
  const [figures] = await session.query<{ passages: number; words: number }>(FIGURES, [threadKey]);
  const passages = new Map<number, RecallPassage>();
  const keysByTerm = new Map<string, number[]>();
  for (const { passage_key: key, place, found } of await session.query<FoundRow>(FIND, [
    threadKey,
    search.terms.map((term) => keyedTerm(threadKey, term)),
  ])) {
    passages.set(key, recallPlaceOf(place));
    for (const term of found) {
      const keys = keysByTerm.get(term);
      if (keys === undefined) keysByTerm.set(term, [key]);
      else keys.push(key);
    }
  }
  const page = searchPassages<number>(
    {
      passages: figures?.passages ?? 0,
      words: figures?.words ?? 0,
      find: (term) => keysByTerm.get(keyedTerm(threadKey, term)) ?? [],
      passage: (key) => passages.get(key) as RecallPassage,
    },
    search,
  );
  const ids = [...new Set(page.found.map(({ passage }) => passage.messageId))];
  const messages = await readMessages(session, threadKey, ids);
  const hits = page.found.flatMap(({ passage, score }): readonly RecallHit[] => {
    const message = messages.get(passage.messageId);
    return message === undefined ? [] : [recallHitOf(passage, message, score)];
  });
  return Object.freeze({ hits: Object.freeze(hits), total: page.total, nextCursor: page.nextCursor });
}

async function indexedIn(session: SqlSession, threadKey: number): Promise<ReadonlySet<number>> {
  return new Set((await session.query<{ ordinal: number }>(INDEXED, [threadKey])).map(({ ordinal }) => ordinal));
}

/** A long word may have been cut within a character, and half a character cannot be sent. */
const keyedTerm = (threadKey: number, term: string): string => `${threadKey}~${term.toWellFormed()}`;

/** A row of a passage. */
interface RecallRow {
  readonly ordinal: number;
  readonly first_offset: number;
  readonly words: number;
  readonly place: string;
  readonly terms: readonly string[];
}

interface FoundRow {
  readonly passage_key: number;
  readonly place: string;
  readonly found: readonly string[];
}

const NO_PAGE: RecallPage = Object.freeze({ hits: Object.freeze([]), total: 0, nextCursor: null });
