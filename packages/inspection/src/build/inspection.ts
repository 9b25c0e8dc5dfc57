import { type JournalEntry, type ProviderAwareTokenizer, ThreadfoldError } from "@threadfold/core";
import type { ProviderFormat } from "@threadfold/renderer";
import { type RecordedRequest, RecordedRequests } from "@threadfold/session";
import { loadTokenizer, TOKENIZER_IDS } from "@threadfold/tokenizers";
import { type CallCosts, callCosts, type PricingOptions } from "../bill/call-costs.ts";
import { BodyText } from "../bodies/body-text.ts";
import { chunkRange, chunkStarts } from "../bodies/chunk-starts.ts";
import { PayloadList } from "../bodies/payload-list.ts";
import { PayloadText } from "../bodies/payload-text.ts";
import { goneRows, isGone } from "../gone/gone-rows.ts";
import { lateNeeds } from "../gone/late-needs.ts";
import { replayCounts } from "../integrity/integrity-rows.ts";
import { pinRows } from "../messages/pin-rows.ts";
import type { BodyLists } from "../rows/bodies.ts";
import {
  type BodyChoice,
  INSPECTION_VERSION,
  type InspectionIndex,
  type InspectionSource,
} from "../rows/inspection-index.ts";
import type { GoneRow } from "../rows/message-row.ts";
import type { ThreadSize } from "../rows/page-data.ts";
import type { PinRow, RecordRow } from "../rows/plan-row.ts";
import type { PresetComparison } from "../rows/preset-comparison.ts";
import type { ThreadRecord } from "../source/thread-record.ts";
import { ThreadTables } from "./thread-tables.ts";

/** How a thread is inspected. */
export interface InspectionOptions {
  readonly source: InspectionSource;
  readonly threadfoldVersion: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly bodies: BodyChoice;
  /** Takes secrets out of everything that is shown. */
  readonly redacted: boolean;
  /**
   * Keeps what every call's payload adds to the one before, for whoever writes all of it down. Without it payloads are
   * rendered when they are asked for.
   */
  readonly keepsPayloads?: boolean;
  /** Looks for what is gone and was needed later, which reads every text once more. */
  readonly looksForGone?: boolean;
  /** What presets make of the same log. */
  readonly comparison?: PresetComparison;
  /** What calls are priced by besides the journal. */
  readonly pricing?: PricingOptions;
  /** Formats of one's own that requests were rendered in. */
  readonly formats?: readonly ProviderFormat[];
  readonly signal?: AbortSignal;
  /** Hears which share of the journal is read, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** A thread that is looked at: its tables, made once and grown when the thread grows, and what was said in it. */
export class Inspection {
  readonly #record: ThreadRecord;
  readonly #options: InspectionOptions;
  readonly #tokenizer: ProviderAwareTokenizer;
  readonly #bodies: BodyText;
  readonly #payloadText: PayloadText;
  readonly #payloads: PayloadList | null;
  readonly #tables: ThreadTables;
  #gone: readonly GoneRow[] = [];
  /** Version of the plan that `#gone` is of. */
  #goneSince = 0;
  #pins: readonly PinRow[] = [];
  #costs: CallCosts = callCosts([]);

  private constructor(record: ThreadRecord, options: InspectionOptions, tokenizer: ProviderAwareTokenizer) {
    const { bodies, redacted, keepsPayloads, formats = [], signal, onProgress } = options;
    this.#record = record;
    this.#options = options;
    this.#tokenizer = tokenizer;
    this.#bodies = new BodyText(bodies, redacted);
    this.#payloadText = new PayloadText(redacted);
    this.#payloads = keepsPayloads === true && bodies === "all" ? new PayloadList() : null;
    this.#tables = new ThreadTables(record, {
      ...{ formats, tokenizer, signal, onProgress },
      titleOf: (message) => this.#bodies.title(message),
      onRequest: (request) => this.#keepPayload(request),
    });
  }

  /** Reads a thread. @throws ThreadfoldError `ABORTED`. */
  static async open(record: ThreadRecord, options: InspectionOptions): Promise<Inspection> {
    const inspection = new Inspection(record, options, await counterOf(record.journal));
    await inspection.#take();
    return inspection;
  }

  /** Reads what was added to the thread since. True when something was. */
  async refresh(): Promise<boolean> {
    const grew = await this.#record.refresh();
    if (grew) await this.#take();
    return grew;
  }

  get size(): ThreadSize {
    const { thread, planVersion } = this.#record;
    return { messages: thread.length, calls: this.#tables.requests.calls.length, planVersion };
  }

  /** Everything but the bodies. */
  index(): InspectionIndex {
    const { source, threadfoldVersion, now, bodies, redacted, comparison } = this.#options;
    const { erased } = this.#record;
    const { requests, messages, plans, frames, attempts } = this.#tables;
    const { bill, calls, breakCost } = this.#costs;
    return {
      ...{ inspectionVersion: INSPECTION_VERSION, threadfoldVersion, madeAt: now(), source, bodies, redacted },
      thread: this.#threadRow(),
      erased: erased === null ? null : { ...erased.record, at: Date.parse(erased.at) },
      tools: messages.tools,
      messages: messages.rows.columns,
      calls: { ...requests.calls.columns, ...calls },
      blocks: requests.blocks.columns,
      breaks: requests.breaks.map((row) => ({ ...row, ...breakCost(row.call) })),
      ...{ frames, plans: plans.rows, attempts },
      records: bodies === "none" ? plans.records.rows.map(withoutKeywords) : plans.records.rows,
      pins: this.#pins,
      gone: this.#gone,
      bill,
      integrity: this.#integrity(),
      comparison: comparison ?? null,
      chunks: {
        messages: bodies === "none" ? [] : this.#messageChunks(),
        texts: bodies === "none" ? [] : this.#textChunks(),
        payloads: bodies === "all" ? this.#payloadChunks() : [],
      },
    };
  }

  /** A chunk of messages, by its place in `InspectionIndex.chunks`. */
  async messageChunk(chunk: number): Promise<readonly BodyLists["messages"][]> {
    const { thread } = this.#record;
    const [from, to] = chunkRange(this.#messageChunks(), chunk, thread.length);
    return Promise.all(thread.messagesBetween(from, to).map((message) => this.#bodies.message(message)));
  }

  /** A chunk of the texts of blocks, by its place in `InspectionIndex.chunks`. */
  async textChunk(chunk: number): Promise<readonly BodyLists["texts"][]> {
    const { texts } = this.#tables.requests;
    const [from, to] = chunkRange(this.#textChunks(), chunk, texts.length);
    return Promise.all(texts.slice(from, to).map((text) => this.#bodies.block(text)));
  }

  /** A chunk of payloads, by its place in `InspectionIndex.chunks`. */
  async payloadChunk(chunk: number): Promise<readonly BodyLists["payloads"][]> {
    if (this.#payloads === null) return [await this.#askedPayload(chunk)];
    const { starts, differences } = this.#payloads;
    return differences.slice(...chunkRange(starts, chunk, differences.length));
  }

  /** Without what was kept, a chunk is a call. */
  #payloadChunks(): readonly number[] {
    return this.#payloads?.starts ?? [...this.#tables.requests.calls.columns.sequence.keys()];
  }

  async #askedPayload(call: number): Promise<BodyLists["payloads"]> {
    const sequence = this.#tables.requests.calls.columns.sequence[call];
    const entry = sequence === undefined ? undefined : this.#record.journal[sequence - 1];
    if (entry?.record.type !== "request-rendered") return null;
    const { formats = [] } = this.#options;
    const options = { formats, tokenizer: this.#tokenizer, growing: false };
    try {
      const { rendered, format } = await new RecordedRequests(this.#record, options).render(entry.record);
      return { start: 0, end: 0, insert: await this.#payloadText.of(rendered.payload, format.messagesField) };
    } catch (error) {
      if (ThreadfoldError.isInstance(error)) return null;
      throw error;
    }
  }

  async #keepPayload(request: RecordedRequest | null): Promise<void> {
    if (this.#payloads === null) return;
    const { rendered, format } = request ?? {};
    const isThere = rendered !== undefined && format !== undefined;
    this.#payloads.take(isThere ? await this.#payloadText.of(rendered.payload, format.messagesField) : null);
  }

  #messageChunks(): readonly number[] {
    return chunkStarts(this.#tables.messages.rows.columns.tokens.map((tokens) => tokens * CHARACTERS_PER_TOKEN));
  }

  #textChunks(): readonly number[] {
    return chunkStarts(this.#tables.requests.texts.map(({ length }) => length));
  }

  async #take(): Promise<void> {
    await this.#tables.take();
    const { thread, planVersion, journal, erased } = this.#record;
    this.#costs = callCosts(erased === null ? journal : [], this.#options.pricing);
    this.#pins = await Promise.all(pinRows(thread, this.#tables.missingPins).map((row) => this.#shownPin(row)));
    // What is gone changes with the plan; between two of them nothing else goes.
    if (this.#options.looksForGone !== true || planVersion === this.#goneSince) return;
    this.#gone = await this.#lookForGone();
    this.#goneSince = planVersion;
  }

  async #lookForGone(): Promise<readonly GoneRow[]> {
    const { thread } = this.#record;
    const { requests, messages } = this.#tables;
    const isGoneNow = (ordinal: number): boolean => isGone(messages.rows.cell(ordinal, "state"));
    const needs = lateNeeds({ thread, tables: requests, isGone: isGoneNow });
    const rows = await goneRows(thread, messages.rows, needs);
    return Promise.all(rows.map((row) => this.#shownGone(row)));
  }

  async #shownGone(row: GoneRow): Promise<GoneRow> {
    if (row.query === "" && row.needed.length === 0) return row;
    if (this.#options.bodies === "none") return { ...row, needed: [], query: "" };
    const needed = await Promise.all(row.needed.map((text) => this.#bodies.redacted(text)));
    return { ...row, needed, query: await this.#bodies.redacted(row.query) };
  }

  async #shownPin(row: PinRow): Promise<PinRow> {
    return { ...row, text: this.#options.bodies === "none" ? "" : await this.#bodies.redacted(row.text) };
  }

  #integrity(): InspectionIndex["integrity"] {
    const { thread, journal, findings, artifacts } = this.#record;
    const { requests, plans, problems, tree } = this.#tables;
    return {
      ...{ findings, artifacts, entries: thread.version, plans: plans.rows.length, journal: journal.length },
      threadDigest: thread.digest,
      rootHash: tree.root(),
      checkpoints: tree.checkpoints,
      replay: replayCounts(requests.calls.columns.replay),
      mismatches: problems.mismatches,
      rules: problems.rules,
    };
  }

  #threadRow(): InspectionIndex["thread"] {
    const { thread, planVersion } = this.#record;
    const { at } = this.#tables.messages.rows.columns;
    const { id, version, digest, length } = thread;
    return {
      ...{ id, version, digest, messages: length, planVersion },
      turns: thread.position.turn,
      steps: thread.position.step,
      tokens: this.#tables.tokens,
      firstAt: at.find((time) => time !== null) ?? null,
      lastAt: at.findLast((time) => time !== null) ?? null,
    };
  }
}

/** Words of a dropped span are words of its messages. */
const withoutKeywords = (row: RecordRow): RecordRow => ({ ...row, keywords: [] });

/** About how many characters of a message a token stands for, for the size of a chunk. */
const CHARACTERS_PER_TOKEN = 4;

/** The counter that the newest request was counted with; the heuristic one where it is not known here. */
async function counterOf(journal: readonly JournalEntry[]): Promise<ProviderAwareTokenizer> {
  const newest = journal.findLast(({ record }) => record.type === "request-rendered")?.record;
  const id = newest?.type === "request-rendered" ? newest.tokenizer : "heuristic";
  return loadTokenizer(TOKENIZER_IDS.includes(id) ? id : "heuristic");
}
