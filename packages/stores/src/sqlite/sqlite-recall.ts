import {
  type Message,
  passagesOf,
  passageText,
  type RecallHit,
  type RecallIndex,
  type RecallPage,
  type RecallPassage,
  type RecallRequest,
  readRecallRequest,
  searchPassages,
  type ThreadId,
} from "@threadfold/core";
import { checkThreadId } from "../rules/checked-arguments.ts";
import { EntryLog } from "./entry-log.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { ThreadKeys } from "./thread-keys.ts";

/**
 * Passages, and an index of their words. Both hold nothing that the log does not, so they are made when they are first
 * needed and no migration speaks of them. Words come ready from `recallTerms`, in lower case, and the tokenizer only
 * parts them at spaces; each carries its thread's key, so that no search meets, or ranks by, another thread's words.
 */
const TABLES = `
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
CREATE VIRTUAL TABLE IF NOT EXISTS recall_terms USING fts5(
  terms, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_$./:@#\\-~'"
);`;
const INDEXED = "SELECT DISTINCT ordinal FROM recall_passages WHERE thread_key = ?";
const FIGURES =
  "SELECT count(*) AS passages, coalesce(sum(words), 0) AS words FROM recall_passages WHERE thread_key = ?";
const INSERT_PASSAGE =
  "INSERT INTO recall_passages (thread_key, ordinal, first_offset, words, place) VALUES (?, ?, ?, ?, ?)";
const INSERT_TERMS = "INSERT INTO recall_terms (rowid, terms) VALUES (?, ?)";
const FIND =
  "SELECT passage_key, place FROM recall_terms JOIN recall_passages ON passage_key = recall_terms.rowid WHERE recall_terms MATCH ?";
const FORGET_TERMS =
  "DELETE FROM recall_terms WHERE rowid IN (SELECT passage_key FROM recall_passages WHERE thread_key = ?)";
const FORGET_PASSAGES = "DELETE FROM recall_passages WHERE thread_key = ?";

/** Recall over the log in SQLite, by its full-text index (FTS5). What the log lacks cannot be found: append before you index. */
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
    this.#prepare();
    const known = this.#keys.find(threadId);
    const indexed = known === undefined ? NOTHING : this.#indexed(known);
    const fresh = [...messages].filter(({ ordinal }) => !indexed.has(ordinal));
    if (fresh.length === 0) return;
    this.#connection.write(() => {
      const threadKey = this.#keys.place(threadId);
      // Another process may have been faster: what counts is what the file says under the lock.
      const now = this.#indexed(threadKey);
      for (const message of fresh) if (!now.has(message.ordinal)) this.#add(threadKey, message);
    });
  }

  async search(threadId: ThreadId, request: RecallRequest): Promise<RecallPage> {
    const search = readRecallRequest(request);
    this.#prepare();
    const threadKey = this.#keys.find(threadId);
    if (threadKey === undefined) return NO_PAGE;
    const figures = this.#connection.get<{ passages: number; words: number }>(FIGURES, threadKey);
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
    const hits = found.flatMap(({ passage: { words: _words, ...place }, score }): readonly RecallHit[] => {
      const { messageId } = place;
      if (!messages.has(messageId)) messages.set(messageId, this.#log.message(threadKey, messageId));
      const message = messages.get(messageId);
      return message === undefined ? [] : [Object.freeze({ ...place, score, excerpt: passageText(message, place) })];
    });
    return Object.freeze({ hits: Object.freeze(hits), total, nextCursor });
  }

  async remove(threadId: ThreadId): Promise<void> {
    this.#prepare();
    const threadKey = this.#keys.find(threadId);
    if (threadKey === undefined) return;
    this.#connection.write(() => {
      this.#connection.run(FORGET_TERMS, threadKey);
      this.#connection.run(FORGET_PASSAGES, threadKey);
    });
  }

  #add(threadKey: number, message: Message): void {
    for (const { passage, terms } of passagesOf(message)) {
      const place = JSON.stringify(passage);
      const key = this.#connection.run(INSERT_PASSAGE, threadKey, passage.ordinal, passage.start, passage.words, place);
      this.#connection.run(INSERT_TERMS, key, terms.map((term) => `${threadKey}~${term}`).join(" "));
    }
  }

  #find(threadKey: number, term: string, passages: Map<number, RecallPassage>): readonly number[] {
    // A term holds no quote, so it needs no escaping.
    const rows = this.#connection.all<PassageRow>(FIND, `"${threadKey}~${term}"`);
    return rows.map(({ passage_key: key, place }) => {
      if (!passages.has(key)) passages.set(key, JSON.parse(place) as RecallPassage);
      return key;
    });
  }

  #indexed(threadKey: number): ReadonlySet<number> {
    return new Set(this.#connection.all<{ ordinal: number }>(INDEXED, threadKey).map(({ ordinal }) => ordinal));
  }

  #prepare(): void {
    if (!this.#ready) this.#connection.script(TABLES);
    this.#ready = true;
  }
}

interface PassageRow {
  readonly passage_key: number;
  readonly place: string;
}

const NOTHING: ReadonlySet<number> = new Set();
const NO_PAGE: RecallPage = Object.freeze({ hits: Object.freeze([]), total: 0, nextCursor: null });
