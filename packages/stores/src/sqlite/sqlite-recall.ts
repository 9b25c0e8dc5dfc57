import {
  EventLoopTurns,
  type IndexedPassage,
  type Message,
  passagesOf,
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
import { recallHitOf, recallPlaceOf } from "../rules/recall-place.ts";
import { EntryLog } from "./entry-log.ts";
import { forgetRecall, prepareRecall } from "./recall-tables.ts";
import { query, type SqliteConnection } from "./sqlite-connection.ts";
import { ThreadKeys } from "./thread-keys.ts";

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

/** Recall over the log in SQLite. What the log lacks cannot be found: append before you index. */
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
        // Another process may have been faster: what counts is what the file says under the lock.
        const now = this.#indexed(threadKey);
        this.#add(
          threadKey,
          passages.filter(({ passage }) => !now.has(passage.ordinal)),
        );
      }),
    );
  }

  async search(threadId: ThreadId, request: RecallRequest): Promise<RecallPage> {
    const search = readRecallRequest(request);
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
    // In the order in which they are kept, so that each page of the table is written once.
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

/** Reads before the file is locked, and lets others run meanwhile: finding the words takes longer than writing them. */
async function readPassages(messages: readonly Message[]): Promise<readonly IndexedPassage[]> {
  const turns = new EventLoopTurns();
  const passages: IndexedPassage[] = [];
  for (const message of messages) {
    for (const passage of passagesOf(message)) {
      passages.push(passage);
      if (turns.isDue) await turns.turn();
    }
  }
  return passages;
}

const NOTHING: ReadonlySet<number> = new Set();
const NO_PAGE: RecallPage = Object.freeze({ hits: Object.freeze([]), total: 0, nextCursor: null });
