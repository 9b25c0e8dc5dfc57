import { type ProviderAwareTokenizer, ThreadfoldError } from "@threadfold/core";
import type { ProviderFormat } from "@threadfold/renderer";
import { type RecordedRequest, RecordedRequests } from "@threadfold/session";
import type { MessageTable } from "../messages/message-table.ts";
import type { RequestTables } from "../requests/request-tables.ts";
import type { BodyLists } from "../rows/bodies.ts";
import type { BodyChoice } from "../rows/inspection-index.ts";
import { type Revision, RowList } from "../rows/table.ts";
import type { ThreadRecord } from "../source/thread-record.ts";
import type { BodyText } from "./body-text.ts";
import { PayloadList } from "./payload-list.ts";
import { PayloadText } from "./payload-text.ts";

/** Where the chunks of each list begin. */
type Chunks = { readonly [List in keyof BodyLists]: RowList<number> };

/** The sources of bodies, and how bodies are shown. */
export interface BodySources {
  readonly record: ThreadRecord;
  readonly tables: { readonly requests: RequestTables; readonly messages: MessageTable };
  readonly text: BodyText;
  readonly formats: readonly ProviderFormat[];
  readonly tokenizer: ProviderAwareTokenizer;
  readonly revision: Revision;
  readonly bodies: BodyChoice;
  readonly redacted: boolean;
  /** Keeps the difference of every call's payload from the previous one. */
  readonly keepsPayloads: boolean;
}

/** The messages, block texts and payloads of a thread, in chunks that are written on demand. */
export class BodyChunkLists {
  readonly #sources: BodySources;
  readonly #payloadText: PayloadText;
  readonly #messages: ChunkStarts;
  readonly #texts: ChunkStarts;
  /** The payload differences that are kept; null if payloads are rendered on demand. */
  readonly #kept: PayloadList | null;
  /** Where chunks of payloads rendered on demand begin: each is one call. */
  readonly #asked: RowList<number>;

  constructor(sources: BodySources) {
    const { redacted, revision, bodies, keepsPayloads } = sources;
    this.#sources = sources;
    this.#payloadText = new PayloadText(redacted);
    this.#messages = new ChunkStarts(revision);
    this.#texts = new ChunkStarts(revision);
    this.#kept = keepsPayloads && bodies === "all" ? new PayloadList(revision) : null;
    this.#asked = new RowList(revision);
  }

  /** Records the rows that were added to the tables since. */
  grow(): void {
    const { messages, requests } = this.#sources.tables;
    const { tokens } = messages.logged.columns;
    while (this.#messages.length < tokens.length)
      this.#messages.push((tokens[this.#messages.length] ?? 0) * CHARACTERS_PER_TOKEN);
    while (this.#texts.length < requests.texts.length)
      this.#texts.push(requests.texts[this.#texts.length]?.length ?? 0);
    while (this.#asked.rows.length < requests.calls.length) this.#asked.push(this.#asked.rows.length);
  }

  /** Where the chunks of the lists that are shown begin. */
  get chunks(): Chunks {
    const { bodies, revision } = this.#sources;
    const none = new RowList<number>(revision);
    return {
      messages: bodies === "none" ? none : this.#messages.list,
      texts: bodies === "none" ? none : this.#texts.list,
      payloads: bodies === "all" ? (this.#kept?.starts ?? this.#asked) : none,
    };
  }

  /** Returns a chunk of a list, by its index; empty when there is none. */
  async chunk<List extends keyof BodyLists>(list: List, chunk: number): Promise<readonly BodyLists[List][]> {
    return (await this.#read(list, chunk)) as readonly BodyLists[List][];
  }

  async #read(list: keyof BodyLists, chunk: number): Promise<readonly BodyLists[keyof BodyLists][]> {
    const { record, tables, text } = this.#sources;
    const starts = this.chunks[list].rows;
    if (list === "messages") {
      const messages = record.thread.messagesBetween(...chunkRange(starts, chunk, record.thread.length));
      return Promise.all(messages.map((message) => text.message(message)));
    }
    if (list === "texts") {
      const { texts } = tables.requests;
      return Promise.all(texts.slice(...chunkRange(starts, chunk, texts.length)).map((one) => text.block(one)));
    }
    if (this.#kept === null) return starts[chunk] === undefined ? [] : [await this.#askedPayload(chunk)];
    const { differences } = this.#kept;
    return differences.slice(...chunkRange(starts, chunk, differences.length));
  }

  /** Keeps the payload of the next call; null for one that could not be rendered. */
  async keepPayload(request: RecordedRequest | null): Promise<void> {
    if (this.#kept === null) return;
    const { rendered, format } = request ?? {};
    const isThere = rendered !== undefined && format !== undefined;
    this.#kept.take(isThere ? await this.#payloadText.of(rendered.payload, format.messagesField) : null);
  }

  async #askedPayload(call: number): Promise<BodyLists["payloads"]> {
    const { record, tables, formats, tokenizer } = this.#sources;
    const sequence = tables.requests.calls.columns.sequence[call];
    const entry = sequence === undefined ? undefined : record.journal[sequence - 1];
    if (entry?.record.type !== "request-rendered") return null;
    try {
      const requests = new RecordedRequests(record, { formats, tokenizer, growing: false });
      const { rendered, format } = await requests.render(entry.record);
      return { start: 0, end: 0, insert: await this.#payloadText.of(rendered.payload, format.messagesField) };
    } catch (error) {
      if (ThreadfoldError.isInstance(error)) return null;
      throw error;
    }
  }
}

/** Maps the chunk starts of each list. */
export const mapChunks = <Result>({ messages, texts, payloads }: Chunks, of: (list: RowList<number>) => Result) => ({
  messages: of(messages),
  texts: of(texts),
  payloads: of(payloads),
});

/** Approximate number of characters per token of a message, for sizing chunks. */
const CHARACTERS_PER_TOKEN = 4;

/** Approximate size of a chunk in characters, and its maximum number of items: what is unzipped to show a row. */
const CHUNK_CHARACTERS = 128 * 1024;
const CHUNK_ITEMS = 512;

/** Where the chunks of a list begin. A growing list keeps its chunk starts: all chunks but the newest are full. */
class ChunkStarts {
  readonly list: RowList<number>;
  /** Number of items. */
  length = 0;
  #characters = 0;
  #items = 0;

  constructor(revision: Revision) {
    this.list = new RowList(revision);
  }

  /**
   * @param size size of the next item, in characters; may be approximate.
   */
  push(size: number): void {
    const isFull = this.#items >= CHUNK_ITEMS || (this.#items > 0 && this.#characters + size > CHUNK_CHARACTERS);
    if (this.length === 0 || isFull) {
      this.list.push(this.length);
      this.#characters = 0;
      this.#items = 0;
    }
    this.#characters += size;
    this.#items++;
    this.length++;
  }
}

/** Returns the range of a chunk, from its first item up to the next chunk's. Empty for a chunk that does not exist. */
function chunkRange(starts: readonly number[], chunk: number, length: number): readonly [number, number] {
  const from = starts[chunk] ?? length;
  return [from, starts[chunk + 1] ?? length];
}
