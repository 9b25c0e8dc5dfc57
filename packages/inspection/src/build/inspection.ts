import { type JournalEntry, type LedgerOptions, liftedWhySchema, type ProviderAwareTokenizer } from "@threadfold/core";
import { MemoryRecallIndex } from "@threadfold/rehydration";
import type { ProviderFormat } from "@threadfold/renderer";
import { loadTokenizer, TOKENIZER_IDS } from "@threadfold/tokenizers";
import { BodyChunkLists, mapChunks } from "../bodies/body-chunk-lists.ts";
import { BodyText } from "../bodies/body-text.ts";
import { GoneMessages } from "../gone/gone-rows.ts";
import { lateNeeds } from "../gone/late-needs.ts";
import type { RequestBreak } from "../requests/request-tables.ts";
import type { BodyLists } from "../rows/bodies.ts";
import type { BreakRow } from "../rows/call-row.ts";
import type { IndexGrowth } from "../rows/index-growth.ts";
import {
  type Bill,
  type BodyChoice,
  INSPECTION_VERSION,
  type InspectionIndex,
  type InspectionSource,
} from "../rows/inspection-index.ts";
import { type GoneRow, type GoneSearch, isGone } from "../rows/message-row.ts";
import type { ThreadSize } from "../rows/page-data.ts";
import type { PinRow, RecordRow } from "../rows/plan-row.ts";
import type { PresetComparison } from "../rows/preset-comparison.ts";
import { Revision, type RowsGrowth } from "../rows/table.ts";
import type { ThreadRecord } from "../source/thread-record.ts";
import { ThreadTables } from "./thread-tables.ts";

/** Options for inspecting a thread. */
export interface InspectionOptions {
  readonly source: InspectionSource;
  readonly threadfoldVersion: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly bodies: BodyChoice;
  /** Whether to remove secrets from everything that is shown. */
  readonly redacted: boolean;
  /**
   * Keeps the difference of every call's payload from the previous one, for callers that write all of them. Without it,
   * payloads are rendered on demand.
   */
  readonly keepsPayloads?: boolean;
  /** What presets make of the same log. */
  readonly comparison?: PresetComparison;
  /** Pricing options for calls, in addition to what the journal says. */
  readonly pricing?: LedgerOptions;
  /** Custom formats that requests were rendered in. */
  readonly formats?: readonly ProviderFormat[];
  readonly signal?: AbortSignal;
  /** Receives the share of the journal that has been read, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** A thread being inspected: its tables, built once and extended when the thread grows, and its messages' content. */
export class Inspection {
  readonly #record: ThreadRecord;
  readonly #options: InspectionOptions;
  readonly #tokenizer: ProviderAwareTokenizer;
  readonly #text: BodyText;
  readonly #revision = new Revision();
  #tables: ThreadTables;
  #bodies: BodyChunkLists;
  /** The folded messages under a plan, once requested. */
  #gone: { readonly planVersion: number; readonly messages: GoneMessages } | null = null;
  #recall = new MemoryRecallIndex();
  #pins: readonly PinRow[] = [];
  #title: string | null = null;

  private constructor(record: ThreadRecord, options: InspectionOptions, tokenizer: ProviderAwareTokenizer) {
    this.#record = record;
    this.#options = options;
    this.#tokenizer = tokenizer;
    this.#text = new BodyText(options.bodies, options.redacted);
    [this.#tables, this.#bodies] = this.#nothing();
  }

  /** Returns empty tables, and the bodies of what they will contain. */
  #nothing(): readonly [ThreadTables, BodyChunkLists] {
    const { formats = [], pricing = {}, bodies, redacted, keepsPayloads = false, signal, onProgress } = this.#options;
    const [record, tokenizer, revision, text] = [this.#record, this.#tokenizer, this.#revision, this.#text];
    const tables: ThreadTables = new ThreadTables(record, {
      ...{ formats, pricing, tokenizer, revision, signal, onProgress },
      titleOf: (message) => text.title(message),
      noteOf: async (note) => (bodies === "none" ? "" : text.redacted(note)),
      onRequest: (request) => lists.keepPayload(request),
    });
    const lists = new BodyChunkLists({
      ...{ record, tables, text, formats, tokenizer, revision, bodies, redacted, keepsPayloads },
    });
    return [tables, lists];
  }

  /** Reads a thread. @throws ThreadfoldError `ABORTED`. */
  static async open(record: ThreadRecord, options: InspectionOptions): Promise<Inspection> {
    const inspection = new Inspection(record, options, await counterOf(record.journal));
    await inspection.#take();
    return inspection;
  }

  /** Reads what was added to the thread since, at a cost proportional to that. Returns whether anything was. */
  async refresh(): Promise<boolean> {
    const wasErased = this.#record.erased !== null;
    if (!(await this.#record.refresh())) return false;
    this.#revision.number++;
    if (!wasErased && this.#record.erased !== null) this.#forget();
    await this.#take();
    return true;
  }

  /** If a thread is erased while it is being inspected, nothing of it is kept here either. */
  #forget(): void {
    [this.#tables, this.#bodies] = this.#nothing();
    this.#gone = null;
    this.#recall = new MemoryRecallIndex();
  }

  get size(): ThreadSize {
    const { thread, planVersion } = this.#record;
    return { messages: thread.length, calls: this.#tables.requests.calls.length, planVersion };
  }

  /** Returns everything except the bodies and the folded messages. */
  index(): InspectionIndex {
    const { source, threadfoldVersion, bodies, redacted, comparison } = this.#options;
    const { erased } = this.#record;
    const { requests, messages, plans, frames, attempts, costs } = this.#tables;
    return {
      ...{ inspectionVersion: INSPECTION_VERSION, threadfoldVersion, source, bodies, redacted },
      ...this.#small(),
      erased: erased === null ? null : { ...erased.record, at: Date.parse(erased.at) },
      messages: { ...messages.logged.columns, ...messages.places.columns },
      calls: { ...requests.calls.columns, ...costs.table.columns },
      blocks: requests.blocks.columns,
      breaks: requests.breaks.rows.map((row) => this.#pricedBreak(row)),
      ...{ frames: frames.rows, plans: plans.rows, attempts: attempts.rows },
      records: this.#shownRecords({ places: [], rows: plans.records.rows }).rows,
      bill: this.bill(),
      comparison: erased === null ? (comparison ?? null) : null,
      chunks: mapChunks(this.#bodies.chunks, ({ rows }) => rows),
    };
  }

  /** Returns the additions to the index since an earlier revision; null if unknown: then read the whole index. */
  growth(since: number): IndexGrowth | null {
    if (since > this.#revision.number || this.#record.erased !== null) return null;
    const { requests, messages, plans, frames, attempts, costs } = this.#tables;
    const grown = costs.table.since(since);
    return {
      ...this.#small(),
      messages: messages.logged.since(since),
      places: messages.places.since(since),
      requests: requests.calls.since(since),
      costs: grown,
      blocks: requests.blocks.since(since),
      breaks: this.#grownBreaks(grown.places),
      frames: frames.since(since),
      plans: plans.list.since(since),
      records: this.#shownRecords(plans.records.list.since(since)),
      attempts: attempts.since(since),
      chunks: mapChunks(this.#bodies.chunks, (list) => list.since(since)),
    };
  }

  /** Returns the cost of the calls so far, as in `threadfold bill`. */
  bill(): Bill {
    const { journal, erased } = this.#record;
    return { ...this.#tables.costs.bill(erased === null ? journal : []), revision: this.#revision.number };
  }

  /** Returns the messages that the newest plan removed from the request, largest first. Computed once per plan. */
  async gone(): Promise<readonly GoneRow[]> {
    return Promise.all(this.#goneNow().rows.map((row) => this.#shownGone(row)));
  }

  /**
   * Returns the search result for a message that the newest plan removed from the request; null for any other. The
   * thread is read before this returns, and may grow during the search.
   */
  async goneSearch(message: number): Promise<GoneSearch | null> {
    const search = await this.#goneNow().search(message);
    return search === null ? null : this.#shownSearch(search);
  }

  /**
   * Returns search results for a page that cannot search: for all folded messages, or, in a thread of more than a
   * thousand messages, for those that were needed and then the largest: at most a million divided by the thread's
   * length, and at least a hundred.
   */
  async goneSearches(): Promise<readonly GoneSearch[]> {
    const searches = await this.#goneNow().mostWanted();
    return Promise.all(searches.map((search) => this.#shownSearch(search)));
  }

  #goneNow(): GoneMessages {
    const { planVersion } = this.#record;
    if (this.#gone?.planVersion !== planVersion) this.#gone = { planVersion, messages: this.#lookForGone() };
    return this.#gone.messages;
  }

  /** Returns the small fields that an index and its growth share. */
  #small() {
    return {
      revision: this.#revision.number,
      madeAt: this.#options.now(),
      thread: this.#threadRow(),
      tools: this.#tables.messages.tools,
      pins: this.#pins,
      integrity: this.#integrity(),
    };
  }

  #pricedBreak(row: RequestBreak): BreakRow {
    return { ...row, ...this.#tables.costs.breakCost(row.call) };
  }

  /** The price of a break changes when usage is reported for its call. */
  #grownBreaks(calls: readonly number[]): IndexGrowth["breaks"] {
    const { requests } = this.#tables;
    const places = calls.map((call) => requests.calls.cell(call, "break")).filter((place) => place >= 0);
    return { places, rows: places.map((place) => this.#pricedBreak(requests.breaks.rows[place] as RequestBreak)) };
  }

  /** The keywords of a dropped span are words of its messages. */
  #shownRecords({ places, rows }: RowsGrowth<RecordRow>): RowsGrowth<RecordRow> {
    if (this.#options.bodies !== "none") return { places, rows };
    return { places, rows: rows.map((row) => ({ ...row, keywords: [] })) };
  }

  /** Returns a chunk of a list of bodies, by its index in `InspectionIndex.chunks`. Empty when there is none. */
  chunk<List extends keyof BodyLists>(list: List, chunk: number): Promise<readonly BodyLists[List][]> {
    return this.#bodies.chunk(list, chunk);
  }

  async #take(): Promise<void> {
    await this.#tables.take();
    this.#bodies.grow();
    const { title } = this.#record;
    this.#title = title === null || this.#options.bodies === "none" ? null : await this.#text.redacted(title);
    this.#pins = await Promise.all(this.#tables.pins.rows.map((row) => this.#shownPin(row)));
  }

  #lookForGone(): GoneMessages {
    const { thread } = this.#record;
    const { requests, messages } = this.#tables;
    const isGoneNow = (ordinal: number): boolean => isGone(messages.places.cell(ordinal, "state"));
    const needs = lateNeeds({ thread, tables: requests, isGone: isGoneNow });
    return new GoneMessages(thread, messages, needs, this.#recall);
  }

  async #shownGone(row: GoneRow): Promise<GoneRow> {
    if (row.needed.length === 0) return row;
    if (this.#options.bodies === "none") return { ...row, needed: [] };
    return { ...row, needed: await Promise.all(row.needed.map((text) => this.#text.redacted(text))) };
  }

  async #shownSearch(search: GoneSearch): Promise<GoneSearch> {
    return { ...search, query: this.#options.bodies === "none" ? "" : await this.#text.redacted(search.query) };
  }

  async #shownPin(row: PinRow): Promise<PinRow> {
    const { text, liftedWhy: why } = row;
    const isWords = why !== null && !liftedWhySchema.safeParse(why).success;
    if (this.#options.bodies === "none") return { ...row, text: "", liftedWhy: isWords ? "" : why };
    const liftedWhy = isWords ? await this.#text.redacted(why) : why;
    return { ...row, text: await this.#text.redacted(text), liftedWhy };
  }

  #integrity(): InspectionIndex["integrity"] {
    const { thread, journal, findings, artifacts } = this.#record;
    const { requests, plans, problems, tree } = this.#tables;
    return {
      ...{ findings, artifacts, entries: thread.version, plans: plans.rows.length, journal: journal.length },
      threadDigest: thread.digest,
      rootHash: tree.root(),
      checkpoints: tree.checkpoints,
      replay: { ...requests.replay },
      mismatches: problems.mismatches,
      rules: problems.rules,
    };
  }

  #threadRow(): InspectionIndex["thread"] {
    const { thread, planVersion } = this.#record;
    const { at } = this.#tables.messages.logged.columns;
    const { id, version, digest, length } = thread;
    return {
      ...{ id, title: this.#title, version, digest, messages: length, planVersion },
      turns: thread.position.turn,
      steps: thread.position.step,
      tokens: this.#tables.tokens,
      firstAt: at.find((time) => time !== null) ?? null,
      lastAt: at.findLast((time) => time !== null) ?? null,
    };
  }
}

/** Returns the counter of the newest request, or the heuristic one if that counter is not available. */
async function counterOf(journal: readonly JournalEntry[]): Promise<ProviderAwareTokenizer> {
  const newest = journal.findLast(({ record }) => record.type === "request-rendered")?.record;
  const id = newest?.type === "request-rendered" ? newest.tokenizer : "heuristic";
  return loadTokenizer(TOKENIZER_IDS.includes(id) ? id : "heuristic");
}
