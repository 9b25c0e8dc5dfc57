import {
  type JournalEntry,
  type PinId,
  type PromptCachePrice,
  type ProviderAwareTokenizer,
  ThreadfoldError,
  TokenLedger,
  type Usage,
} from "@threadfold/core";
import type { ProviderFormat } from "@threadfold/renderer";
import { type RecordedRequest, RecordedRequests } from "@threadfold/session";
import { loadTokenizer, TOKENIZER_IDS } from "@threadfold/tokenizers";
import { billOf } from "../bill/bill.ts";
import { framePrice } from "../bill/call-costs.ts";
import { priceCall } from "../bill/price-call.ts";
import { BodyText } from "../bodies/body-text.ts";
import { chunkRange, chunkStarts } from "../bodies/chunk-starts.ts";
import { PayloadList } from "../bodies/payload-list.ts";
import { PayloadText } from "../bodies/payload-text.ts";
import { CallProblems, JournalTree, replayCounts } from "../integrity/integrity-rows.ts";
import { MessageTable } from "../messages/message-table.ts";
import { pinRows } from "../messages/pin-rows.ts";
import { PlanTable } from "../plans/plan-table.ts";
import type { RequestBlock } from "../requests/request-blocks.ts";
import { RequestTables } from "../requests/request-tables.ts";
import type { BodyLists } from "../rows/bodies.ts";
import type { FrameRow } from "../rows/call-row.ts";
import {
  type BodyChoice,
  INSPECTION_VERSION,
  type InspectionIndex,
  type InspectionSource,
} from "../rows/inspection-index.ts";
import type { ThreadSize } from "../rows/page-data.ts";
import type { AttemptRow } from "../rows/plan-row.ts";
import type { ThreadRecord } from "../source/thread-record.ts";

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
  /** Formats of one's own that requests were rendered in. */
  readonly formats?: readonly ProviderFormat[];
  readonly signal?: AbortSignal;
  /** Hears which share of the journal is read, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** A thread that is looked at: its tables, made once and grown when the thread grows. */
export class Inspection {
  readonly #record: ThreadRecord;
  readonly #options: InspectionOptions;
  readonly #bodies: BodyText;
  readonly #tokenizer: ProviderAwareTokenizer;
  readonly #requests: RecordedRequests;
  readonly #tables = new RequestTables();
  readonly #messages = new MessageTable();
  readonly #plans: PlanTable;
  readonly #problems = new CallProblems();
  readonly #tree = new JournalTree();
  readonly #attempts: AttemptRow[] = [];
  readonly #frames: FrameRow[] = [];
  readonly #framePlaces = new Map<string, number>();
  readonly #payloadText: PayloadText;
  readonly #payloads: PayloadList | null;
  readonly #missingPins = new Map<PinId, number[]>();
  #ledger: TokenLedger;
  /** Places of the calls, by the place of their record in the journal. */
  readonly #callPlaces = new Map<number, number>();
  #read = 0;

  private constructor(record: ThreadRecord, options: InspectionOptions, tokenizer: ProviderAwareTokenizer) {
    this.#record = record;
    this.#options = options;
    this.#tokenizer = tokenizer;
    this.#bodies = new BodyText(options.bodies, options.redacted);
    this.#payloadText = new PayloadText(options.redacted);
    this.#payloads = options.keepsPayloads === true && options.bodies === "all" ? new PayloadList() : null;
    this.#plans = new PlanTable(record);
    this.#ledger = TokenLedger.empty(tokenizer, () => "anchoring");
    this.#requests = this.#recordedRequests(true);
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
    return { messages: thread.length, calls: this.#tables.calls.length, planVersion };
  }

  /** Everything but the bodies. */
  index(): InspectionIndex {
    const { source, threadfoldVersion, now, bodies, redacted } = this.#options;
    const { thread, journal, erased, findings, artifacts } = this.#record;
    const { calls, blocks, breaks } = this.#tables;
    this.#messages.place(thread, this.#plans.newest, this.#plans.records, (id) => this.#tables.showing(id));
    return {
      inspectionVersion: INSPECTION_VERSION,
      threadfoldVersion,
      madeAt: now(),
      ...{ source, bodies, redacted },
      thread: this.#threadRow(),
      erased: erased === null ? null : { ...erased.record, at: Date.parse(erased.at) },
      tools: this.#messages.tools,
      messages: this.#messages.rows.columns,
      calls: calls.columns,
      blocks: blocks.columns,
      breaks,
      frames: this.#frames,
      plans: this.#plans.rows,
      records: this.#plans.records.rows,
      attempts: this.#attempts,
      pins: pinRows(thread, this.#missingPins),
      gone: [],
      bill: billOf(calls.columns, this.#price()),
      integrity: {
        findings,
        entries: thread.version,
        plans: this.#plans.rows.length,
        artifacts,
        journal: journal.length,
        threadDigest: thread.digest,
        rootHash: this.#tree.root(),
        checkpoints: this.#tree.checkpoints,
        replay: replayCounts(calls.columns.replay),
        mismatches: this.#problems.mismatches,
        rules: this.#problems.rules,
      },
      presets: [],
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
    const { texts } = this.#tables;
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
    return this.#payloads?.starts ?? [...this.#tables.calls.columns.sequence.keys()];
  }

  async #askedPayload(call: number): Promise<BodyLists["payloads"]> {
    const sequence = this.#tables.calls.columns.sequence[call];
    const entry = sequence === undefined ? undefined : this.#record.journal[sequence - 1];
    if (entry?.record.type !== "request-rendered") return null;
    try {
      const { rendered, format } = await this.#recordedRequests(false).render(entry.record);
      return { start: 0, end: 0, insert: await this.#payloadText.of(rendered.payload, format.messagesField) };
    } catch (error) {
      if (ThreadfoldError.isInstance(error)) return null;
      throw error;
    }
  }

  #messageChunks(): readonly number[] {
    return chunkStarts(this.#messages.rows.columns.tokens.map((tokens) => tokens * CHARACTERS_PER_TOKEN));
  }

  #textChunks(): readonly number[] {
    return chunkStarts(this.#tables.texts.map(({ length }) => length));
  }

  async #take(): Promise<void> {
    const { journal, thread, planVersion } = this.#record;
    for (const entry of journal.slice(this.#read)) {
      if (this.#options.signal?.aborted) throw new ThreadfoldError("ABORTED", "The inspection was interrupted.");
      await this.#takeEntry(entry);
      this.#read++;
      this.#options.onProgress?.(this.#read / journal.length);
    }
    await this.#takePlans(planVersion);
    this.#ledger = this.#ledger.extend(thread);
    await this.#messages.take(thread, {
      tokensOf: (ordinal) => this.#ledger.header(ordinal)?.tokens ?? 0,
      titleOf: (message) => this.#bodies.title(message),
    });
  }

  async #takeEntry(entry: JournalEntry): Promise<void> {
    this.#tree.take(entry);
    const { record, sequence } = entry;
    switch (record.type) {
      case "request-rendered":
        return this.#takeRequest(entry, record);
      case "fold-attempted":
      case "request-refused": {
        const { planVersion, threadVersion, outcome } = record;
        const at = Date.parse(entry.at);
        const refused = record.type === "request-refused";
        const call = this.#tables.newestCall;
        this.#attempts.push({ sequence, at, planVersion, threadVersion, outcome, refused, call });
        return;
      }
      case "usage-reported":
        return this.#priceCall(this.#callPlaces.get(record.requestSequence), record.usage);
      default:
    }
  }

  async #takeRequest(
    entry: JournalEntry,
    record: Extract<JournalEntry["record"], { type: "request-rendered" }>,
  ): Promise<void> {
    if (this.#record.erased !== null) return;
    await this.#takePlans(record.planVersion);
    const call = this.#tables.calls.length;
    this.#plans.called(record.planVersion, call);
    try {
      const request = await this.#requests.render(record);
      this.#tables.take(entry, record, request, {
        thread: this.#record.thread,
        frame: this.#frameOf(record, request),
        recordOf: (block) => this.#recordOf(block),
      });
      this.#problems.take(call, request.format, request.rendered.verification.violations);
      await this.#keepPayload(request);
      for (const pin of request.rendered.rendering.missingPins) this.#missed(pin, call);
    } catch (error) {
      if (!ThreadfoldError.isInstance(error)) throw error;
      this.#tables.takeUnrendered(entry, record);
      this.#payloads?.take(null);
      this.#problems.mismatches.push({ call, problem: error.message });
    }
    this.#callPlaces.set(entry.sequence, call);
    this.#priceCall(call);
  }

  #priceCall(call: number | undefined, usage?: Usage): void {
    if (call === undefined) return;
    priceCall(this.#tables, call, this.#frames[this.#tables.calls.cell(call, "frame")], usage);
  }

  /** The prices that the newest call went out under. */
  #price(): PromptCachePrice | null {
    const frame = this.#frames[this.#tables.calls.columns.frame.at(-1) ?? -1];
    return frame === undefined ? null : framePrice(frame);
  }

  async #keepPayload({ rendered, format }: RecordedRequest): Promise<void> {
    this.#payloads?.take(await this.#payloadText.of(rendered.payload, format.messagesField));
  }

  #recordOf({ rendered }: RequestBlock): number {
    const record = rendered?.record;
    return record === undefined ? -1 : this.#plans.records.placeOf(record.action, record.spanStart);
  }

  #missed(pin: PinId, call: number): void {
    const calls = this.#missingPins.get(pin);
    if (calls === undefined) this.#missingPins.set(pin, [call]);
    else calls.push(call);
  }

  #frameOf(record: Extract<JournalEntry["record"], { type: "request-rendered" }>, { frame }: RecordedRequest): number {
    const { format, tokenizer, renderVersion, options } = record;
    const model = typeof options["model"] === "string" ? options["model"] : null;
    const key = JSON.stringify([record.frame, format, tokenizer, renderVersion, model]);
    const known = this.#framePlaces.get(key);
    if (known !== undefined) return known;
    const tools = frame.tools.map(({ name }) => name);
    const place = this.#frames.push({ format, model, tokenizer, renderVersion, tools }) - 1;
    this.#framePlaces.set(key, place);
    return place;
  }

  async #takePlans(version: number): Promise<void> {
    while (this.#plans.rows.length < version) await this.#plans.take(this.#plans.rows.length + 1);
  }

  #recordedRequests(growing: boolean): RecordedRequests {
    const { formats = [] } = this.#options;
    return new RecordedRequests(this.#record, { formats, tokenizer: this.#tokenizer, growing });
  }

  #threadRow(): InspectionIndex["thread"] {
    const { thread, planVersion } = this.#record;
    const { at } = this.#messages.rows.columns;
    return {
      id: thread.id,
      version: thread.version,
      digest: thread.digest,
      messages: thread.length,
      turns: thread.position.turn,
      steps: thread.position.step,
      tokens: this.#ledger.totalTokens,
      planVersion,
      firstAt: at.find((time) => time !== null) ?? null,
      lastAt: at.findLast((time) => time !== null) ?? null,
    };
  }
}

/** About how many characters of a message a token stands for, for the size of a chunk. */
const CHARACTERS_PER_TOKEN = 4;

/** The counter that the newest request was counted with; the heuristic one where it is not known here. */
async function counterOf(journal: readonly JournalEntry[]): Promise<ProviderAwareTokenizer> {
  const newest = journal.findLast(({ record }) => record.type === "request-rendered")?.record;
  const id = newest?.type === "request-rendered" ? newest.tokenizer : "heuristic";
  return loadTokenizer(TOKENIZER_IDS.includes(id) ? id : "heuristic");
}
