import {
  type ArtifactId,
  isCall,
  type JournalEntry,
  type LedgerOptions,
  type Message,
  type ProviderAwareTokenizer,
  type RequestRenderedRecord,
  ThreadfoldError,
  TokenLedger,
} from "@threadfold/core";
import type { ProviderFormat } from "@threadfold/renderer";
import { type RecordedRequest, RecordedRequests } from "@threadfold/session";
import { CallCosts } from "../bill/call-costs.ts";
import { CallProblems, JournalTree } from "../integrity/integrity-rows.ts";
import { MessageTable } from "../messages/message-table.ts";
import { PinRows } from "../messages/pin-rows.ts";
import { PlanTable } from "../plans/plan-table.ts";
import { RequestTables } from "../requests/request-tables.ts";
import type { FrameRow } from "../rows/call-row.ts";
import type { AttemptRow } from "../rows/plan-row.ts";
import { type Revision, RowList } from "../rows/table.ts";
import type { ThreadRecord } from "../source/thread-record.ts";

/** Options for building the tables of a thread. */
export interface ThreadTablesOptions {
  /** Custom formats that requests were rendered in. */
  readonly formats: readonly ProviderFormat[];
  readonly tokenizer: ProviderAwareTokenizer;
  /** Pricing options for calls, in addition to what the journal says. */
  readonly pricing: LedgerOptions;
  readonly revision: Revision;
  /** Returns the beginning of a message's text, on one line. */
  titleOf(message: Message): Promise<string>;
  /** Returns a text of the host's as it is shown. */
  noteOf(text: string): Promise<string>;
  /** Receives every request as it is rendered, once; null for one that cannot be rendered. */
  onRequest(request: RecordedRequest | null): Promise<void>;
  readonly signal: AbortSignal | undefined;
  /** Receives the share of the journal that has been read, from 0 to 1. */
  readonly onProgress: ((share: number) => void) | undefined;
}

/** The tables of a thread: its journal is read once, and later additions are added to them. */
export class ThreadTables {
  readonly requests: RequestTables;
  readonly messages: MessageTable;
  readonly plans: PlanTable;
  readonly costs: CallCosts;
  readonly pins = new PinRows();
  readonly problems = new CallProblems();
  readonly tree = new JournalTree();
  readonly attempts: RowList<AttemptRow>;
  readonly frames: RowList<FrameRow>;
  readonly #record: ThreadRecord;
  readonly #options: ThreadTablesOptions;
  readonly #recorded: RecordedRequests;
  readonly #framePlaces = new Map<string, number>();
  #ledger: TokenLedger;
  #read = 0;

  constructor(record: ThreadRecord, options: ThreadTablesOptions) {
    const { formats, tokenizer, revision, pricing } = options;
    this.#record = record;
    this.#options = options;
    this.requests = new RequestTables(revision);
    this.messages = new MessageTable(revision);
    this.plans = new PlanTable(record, revision);
    this.costs = new CallCosts(revision, pricing);
    this.attempts = new RowList(revision);
    this.frames = new RowList(revision);
    this.#ledger = TokenLedger.empty(tokenizer, () => "anchoring");
    const { plans } = this;
    const sources = {
      get thread() {
        return record.thread;
      },
      // A plan may be a megabyte: one that is already in the tables is not read again.
      plan: async (version: number) => (plans.newest?.version === version ? plans.newest : record.plan(version)),
      content: (id: ArtifactId) => record.content(id),
    };
    this.#recorded = new RecordedRequests(sources, { formats, tokenizer, growing: true });
  }

  /** Tokens of the whole log. */
  get tokens(): number {
    return this.#ledger.totalTokens;
  }

  /** Adds what was added to the record since. @throws ThreadfoldError `ABORTED` when the signal is aborted. */
  async take(): Promise<void> {
    const { journal, thread, planVersion, erased } = this.#record;
    const { signal, onProgress, titleOf } = this.#options;
    const added = journal.slice(this.#read);
    if (erased === null) this.costs.take(added);
    for (const entry of added) {
      if (signal?.aborted) throw new ThreadfoldError("ABORTED", "The inspection was interrupted.");
      await this.#takeEntry(entry);
      this.#read++;
      onProgress?.(this.#read / journal.length);
    }
    await this.#takePlans(planVersion);
    this.#ledger = this.#ledger.extend(thread);
    await this.messages.take(thread, {
      tokensOf: (ordinal) => this.#ledger.header(ordinal)?.tokens ?? 0,
      titleOf,
    });
    this.messages.place(thread, this.plans.newest, this.plans.records);
    for (const [ordinal, call] of this.requests.takeFirstShown()) this.messages.places.set(ordinal, "firstCall", call);
    this.pins.take(thread);
  }

  async #takeEntry(entry: JournalEntry): Promise<void> {
    this.tree.take(entry);
    const { record } = entry;
    switch (record.type) {
      case "request-rendered":
        // Calls have the same positions as in the bill.
        return isCall(record) ? this.#takeRequest(entry, record) : undefined;
      case "fold-attempted":
      case "request-refused": {
        const { planVersion, threadVersion, outcome, type } = record;
        const about = { sequence: entry.sequence, at: Date.parse(entry.at), call: this.requests.newestCall };
        const refused = type === "request-refused";
        this.attempts.push({ ...about, planVersion, threadVersion, outcome, veto: null, refused });
        return;
      }
      case "fold-vetoed": {
        const { planVersion, threadVersion, hook } = record;
        const about = { sequence: entry.sequence, at: Date.parse(entry.at), call: this.requests.newestCall };
        const reason = this.#record.erased === null ? await this.#record.content(record.reason) : null;
        const veto = { hook, reason: reason === null ? "" : await this.#options.noteOf(reason) };
        this.attempts.push({ ...about, planVersion, threadVersion, outcome: "vetoed", veto, refused: false });
        return;
      }
      default:
    }
  }

  async #takeRequest(entry: JournalEntry, record: RequestRenderedRecord): Promise<void> {
    if (this.#record.erased !== null) return;
    await this.#takePlans(record.planVersion);
    const call = this.requests.calls.length;
    this.plans.called(record.planVersion, call);
    const request = await this.#rendered(call, record);
    if (request === null) this.requests.takeUnrendered(entry, record);
    else this.#takeRendered(call, entry, { record, request });
    await this.#options.onRequest(request);
  }

  async #rendered(call: number, record: RequestRenderedRecord): Promise<RecordedRequest | null> {
    try {
      return await this.#recorded.render(record);
    } catch (error) {
      if (!ThreadfoldError.isInstance(error)) throw error;
      this.problems.mismatches.push({ call, problem: error.message });
      return null;
    }
  }

  #takeRendered(
    call: number,
    entry: JournalEntry,
    { record, request }: { readonly record: RequestRenderedRecord; readonly request: RecordedRequest },
  ): void {
    this.requests.take(entry, record, request, {
      thread: this.#record.thread,
      frame: this.#frameOf(record, request),
      recordOf: ({ rendered }) => {
        const made = rendered?.record;
        return made === undefined ? -1 : this.plans.records.placeOf(made.action, made.spanStart);
      },
    });
    this.problems.take(call, request.format, request.rendered.verification.violations);
    for (const pin of request.rendered.rendering.missingPins) this.pins.lacked(pin, call);
  }

  #frameOf(record: RequestRenderedRecord, { frame }: RecordedRequest): number {
    const { format, tokenizer, renderVersion, options } = record;
    const model = typeof options["model"] === "string" ? options["model"] : null;
    const key = JSON.stringify([record.frame, format, tokenizer, renderVersion, model]);
    const known = this.#framePlaces.get(key);
    if (known !== undefined) return known;
    const tools = frame.tools.map(({ name }) => name);
    const place = this.frames.push({ format, model, tokenizer, renderVersion, tools });
    this.#framePlaces.set(key, place);
    return place;
  }

  async #takePlans(version: number): Promise<void> {
    while (this.plans.rows.length < version) await this.plans.take(this.plans.rows.length + 1);
  }
}
