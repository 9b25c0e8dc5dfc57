import {
  EventLoopTurns,
  type IndexedPassage,
  loadStemmers,
  type Message,
  passagesOf,
  type RecallHit,
  type RecallIndex,
  type RecallPage,
  type RecallPassage,
  type RecallRequest,
  readRecallRequest,
  searchPassages,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import { recallHitOf, recallPlaceOf } from "../shared/recall.ts";
import { checkThreadId } from "../shared/store-basics.ts";
import { EntryLog, ThreadKeys } from "./entry-log.ts";
import { query, type SqliteConnection } from "./sqlite-connection.ts";

const INDEXED = query<{ ordinal: number }>("SELECT DISTINCT ordinal FROM recall_passages WHERE thread_key = ?", {
  ordinal: "integer",
});
const FIGURES = query<{ passages: number; words: number }>(
  "SELECT count(*) AS passages, coalesce(sum(words), 0) AS words FROM recall_passages WHERE thread_key = ?",
  { passages: "integer", words: "integer" },
);
const INSERT_PASSAGE =
  "INSERT INTO recall_passages (thread_key, ordinal, first_offset, words, place) VALUES (?, ?, ?, ?, ?)";
const INSERT_WORD = "INSERT INTO recall_words (thread_key, word, first_passage, passages) VALUES (?, ?, ?, ?)";
const FIND = query<{ passage_key: number; place: string }>(
  `SELECT passage_key, place FROM recall_words, json_each(recall_words.passages)
  JOIN recall_passages ON passage_key = json_each.value WHERE recall_words.thread_key = ? AND word = ?`,
  { passage_key: "integer", place: "text" },
);

/** Searches the log in SQLite. Messages that the log lacks cannot be found: append before you index. */
export class SqliteRecall implements RecallIndex {
  readonly #connection: SqliteConnection;
  readonly #keys: ThreadKeys;
  readonly #log: EntryLog;
  #ready = false;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#keys = new ThreadKeys(connection);
    this.#log = new EntryLog(connection);
  }

  async index(threadId: ThreadId, messages: Iterable<Message>): Promise<void> {
    checkThreadId(threadId);
    await this.#prepare();
    const known = this.#keys.find(threadId);
    const indexed = known === undefined ? NOTHING : this.#indexed(known);
    const fresh = [...messages].filter(({ ordinal }) => !indexed.has(ordinal));
    if (fresh.length === 0) return;
    const passages = await readPassages(fresh);
    await this.#connection.whenFree(() =>
      this.#connection.write(() => {
        const threadKey = this.#keys.place(threadId);
        // Another process may have been faster: only what the file says under the lock counts.
        const now = this.#indexed(threadKey);
        this.#add(
          threadKey,
          passages.filter(({ passage }) => !now.has(passage.ordinal)),
        );
      }),
    );
  }

  async search(threadId: ThreadId, request: RecallRequest): Promise<RecallPage> {
    const search = await readRecallRequest(request);
    await this.#prepare();
    const threadKey = this.#keys.find(threadId);
    if (threadKey === undefined) return NO_PAGE;
    const figures = this.#connection.get(FIGURES, threadKey);
    const passages = new Map<number, RecallPassage>();
    const { found, total, nextCursor } = searchPassages<number>(
      {
        passages: figures?.passages ?? 0,
        words: figures?.words ?? 0,
        find: (term) => this.#find(threadKey, term, passages),
        passage: (key) => passages.get(key) as RecallPassage,
      },
      search,
    );
    const messages = new Map<string, Message | undefined>();
    const hits = found.flatMap(({ passage, score }): readonly RecallHit[] => {
      const { messageId } = passage;
      if (!messages.has(messageId)) messages.set(messageId, this.#log.message(threadKey, messageId));
      const message = messages.get(messageId);
      return message === undefined ? [] : [recallHitOf(passage, message, score)];
    });
    return Object.freeze({ hits: Object.freeze(hits), total, nextCursor });
  }

  async remove(threadId: ThreadId): Promise<void> {
    await this.#prepare();
    const threadKey = this.#keys.find(threadId);
    if (threadKey === undefined) return;
    await this.#connection.whenFree(() => this.#connection.write(() => forgetRecall(this.#connection, threadKey)));
  }

  #add(threadKey: number, passages: readonly IndexedPassage[]): void {
    const keysByWord = new Map<string, number[]>();
    for (const { passage, terms } of passages) {
      const place = JSON.stringify(passage);
      const key = this.#connection.run(INSERT_PASSAGE, threadKey, passage.ordinal, passage.start, passage.words, place);
      for (const term of terms) {
        const keys = keysByWord.get(term);
        if (keys === undefined) keysByWord.set(term, [key]);
        else keys.push(key);
      }
    }
    // In the order in which they are stored, so that each page of the table is written once.
    for (const word of [...keysByWord.keys()].sort()) {
      const keys = keysByWord.get(word) as number[];
      this.#connection.run(INSERT_WORD, threadKey, word, keys[0] as number, JSON.stringify(keys));
    }
  }

  #find(threadKey: number, term: string, passages: Map<number, RecallPassage>): readonly number[] {
    const rows = this.#connection.all(FIND, threadKey, term);
    return rows.map(({ passage_key: key, place }) => {
      if (!passages.has(key)) passages.set(key, recallPlaceOf(place));
      return key;
    });
  }

  #indexed(threadKey: number): ReadonlySet<number> {
    return new Set(this.#connection.all(INDEXED, threadKey).map(({ ordinal }) => ordinal));
  }

  async #prepare(): Promise<void> {
    if (!this.#ready) await this.#connection.whenFree(() => prepareRecall(this.#connection));
    this.#ready = true;
  }
}

/**
 * Reads messages before the file is locked, yielding to the event loop: finding words takes longer than writing them.
 */
async function readPassages(messages: readonly Message[]): Promise<readonly IndexedPassage[]> {
  const stemmers = await loadStemmers();
  const turns = new EventLoopTurns();
  const passages: IndexedPassage[] = [];
  for (const message of messages) {
    for (const passage of passagesOf(message, stemmers)) {
      passages.push(passage);
      if (turns.isDue) await turns.turn();
    }
  }
  return passages;
}

const NOTHING: ReadonlySet<number> = new Set();
const NO_PAGE: RecallPage = Object.freeze({ hits: Object.freeze([]), total: 0, nextCursor: null });

/**
 * Tables of passages, and of the passages that contain each word. Both hold nothing that the log does not, so they are
 * created on first use, without a migration. They are ordinary tables, because not every supported Node has SQLite's
 * full-text search; words are stored under their thread, so that no search matches, or ranks by, another thread's.
 */
export const RECALL_TABLES = `
CREATE TABLE IF NOT EXISTS recall_passages (
  passage_key  INTEGER PRIMARY KEY,
  thread_key   INTEGER NOT NULL REFERENCES threads,
  ordinal      INTEGER NOT NULL,
  first_offset INTEGER NOT NULL,
  words        INTEGER NOT NULL,
  place        TEXT    NOT NULL                 -- JSON
) STRICT;
CREATE TRIGGER IF NOT EXISTS recall_passages_not_erased BEFORE INSERT ON recall_passages
WHEN EXISTS (SELECT 1 FROM erasures WHERE thread_key = NEW.thread_key)
BEGIN SELECT RAISE(ABORT, 'the thread was erased'); END;
CREATE INDEX IF NOT EXISTS recall_passages_by_thread ON recall_passages (thread_key, ordinal, words);
CREATE TABLE IF NOT EXISTS recall_words (
  thread_key    INTEGER NOT NULL,
  word          TEXT    NOT NULL,
  first_passage INTEGER NOT NULL,
  passages      TEXT    NOT NULL,               -- JSON: the keys of all that were indexed together
  PRIMARY KEY (thread_key, word, first_passage)
) STRICT, WITHOUT ROWID;`;

/** Creates the tables if they do not exist. */
function prepareRecall(connection: SqliteConnection): void {
  if (has(connection, OUTDATED_TABLE)) connection.write(() => dropOutdated(connection));
  connection.script(RECALL_TABLES);
}

const FORGET = ["DELETE FROM recall_words WHERE thread_key = ?", "DELETE FROM recall_passages WHERE thread_key = ?"];

/** Removes a thread's passages and words, within a write transaction. Missing tables are not created. */
export function forgetRecall(connection: SqliteConnection, threadKey: number): void {
  dropOutdated(connection);
  if (!has(connection, "recall_words")) return;
  for (const statement of FORGET) connection.run(statement, threadKey);
}

/** Table in which earlier versions kept words, with SQLite's full-text search. */
export const OUTDATED_TABLE = "recall_terms";

/** Drops what an earlier version indexed; it is indexed again on demand. */
function dropOutdated(connection: SqliteConnection): void {
  if (!has(connection, OUTDATED_TABLE)) return;
  if (connection.get(FULL_TEXT_SEARCH) === undefined) {
    throw new ThreadfoldError(
      "STORE_UNAVAILABLE",
      `An earlier Threadfold made the search index of ${connection.path}, and the SQLite in this Node cannot read it.`,
      {
        hint: "Search the store once on Node 22.19, 24 or newer: that rebuilds the index.",
        details: { path: connection.path },
      },
    );
  }
  connection.script(`DROP TABLE ${OUTDATED_TABLE}; DELETE FROM recall_passages;`);
}

const TABLE = query<{ found: number }>("SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = ?", {
  found: "integer",
});
const FULL_TEXT_SEARCH = query<{ found: number }>("SELECT 1 AS found FROM pragma_module_list WHERE name = 'fts5'", {
  found: "integer",
});

const has = (connection: SqliteConnection, table: string): boolean => connection.get(TABLE, table) !== undefined;
