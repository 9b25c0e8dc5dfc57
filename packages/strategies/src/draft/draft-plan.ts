import {
  finishSteps,
  type MessageHeader,
  NO_RECORDS,
  OrdinalMap,
  type PlanRecord,
  type PlanRecords,
  planRecords,
  previewOf,
  type Steps,
  splitRecord,
  type ThreadShape,
} from "@threadfold/core";
import {
  AT_A_TIME,
  type CompactionProposal,
  type Hold,
  PLACEHOLDER_TOKENS,
  POINTER_TOKENS,
  pointerTokens,
} from "../strategy/compaction-strategy.ts";
import { recordOnceRead } from "./unread-results.ts";

/** A plan under construction: the record of the current plan, or the chosen proposal, that holds each message. */
export class DraftPlan {
  readonly #shape: ThreadShape;
  readonly #held = new OrdinalMap<CompactionProposal>();
  /** What the current plan still does with messages that no proposal holds. */
  readonly #kept = new OrdinalMap<PlanRecord>();
  readonly #chosen: CompactionProposal[] = [];
  /** Proposals that lost a message to a later one. */
  readonly #reduced = new Set<CompactionProposal>();
  #shrunk = 0;
  #shrunkTokens = 0;
  #proposals: readonly CompactionProposal[] | undefined;

  constructor(records: PlanRecords, shape: ThreadShape) {
    this.#shape = shape;
    finishSteps(this.#keep(records));
  }

  /** Makes the same draft in steps, because a plan may cover every message of a long thread. */
  static *inSteps(records: PlanRecords, shape: ThreadShape): Steps<DraftPlan> {
    const draft = new DraftPlan(NO_RECORDS, shape);
    yield* draft.#keep(records);
    return draft;
  }

  *#keep(records: PlanRecords): Steps<void> {
    const shape = this.#shape;
    let seen = 0;
    for (const record of planRecords(records)) {
      const ordinals = shape.ordinalsOf(record.span) ?? record.span.messageIds.map((id) => shape.headerOf(id)?.ordinal);
      for (const ordinal of ordinals) {
        if (++seen % AT_A_TIME === 0) yield;
        if (ordinal !== undefined) this.#kept.set(ordinal, record);
      }
    }
  }

  heldBy(ordinal: number): Hold | undefined {
    return this.#held.get(ordinal) ?? this.#kept.get(ordinal);
  }

  /** Adds a proposal. It replaces whatever held its messages before: a later rung folds deeper than an earlier one. */
  choose(proposal: CompactionProposal): void {
    finishSteps(this.chooseInSteps(proposal));
  }

  /** {@link choose} in steps, because one proposal may cover every message of a long thread. */
  *chooseInSteps(proposal: CompactionProposal): Steps<void> {
    this.#chosen.push(proposal);
    this.#proposals = undefined;
    for (const [index, ordinal] of proposal.ordinals.entries()) {
      const before = this.#held.get(ordinal);
      if (before !== undefined && before !== proposal) this.#reduced.add(before);
      this.#held.set(ordinal, proposal);
      this.#kept.delete(ordinal);
      if (index % AT_A_TIME === AT_A_TIME - 1) yield;
    }
  }

  /** Shows less of a result that was unread when the current plan was made. Returns the number of tokens freed. */
  shrinkRead(ordinal: number): number {
    const record = this.#kept.get(ordinal);
    const shrunk = record === undefined ? null : recordOnceRead(record);
    if (shrunk === null) return 0;
    const header = this.#shape.header(ordinal);
    const before = this.renderedTokens(header);
    this.#kept.set(ordinal, shrunk);
    this.#shrunk++;
    const freed = Math.max(0, before - this.renderedTokens(header));
    this.#shrunkTokens += freed;
    return freed;
  }

  /** What the draft does, in sums by strategy and action: the same for two drafts of a thread that do the same. */
  get sums(): readonly (readonly [string, readonly number[]])[] {
    const sums = new Map<string, readonly number[]>();
    for (const { action, strategy, ordinals, estimatedTokensFreed } of this.proposals) {
      const [count = 0, messages = 0, freed = 0] = sums.get(`${strategy} ${action}`) ?? [];
      sums.set(`${strategy} ${action}`, [count + 1, messages + ordinals.length, freed + estimatedTokensFreed]);
    }
    return [["unread before", [this.#shrunk]], ...sums];
  }

  /** True when the draft is still the current plan, unchanged. */
  get isUnchanged(): boolean {
    return this.#chosen.length === 0 && this.#shrunk === 0;
  }

  /** Tokens of a message as the draft renders it. An estimate until its proposal is fulfilled. */
  renderedTokens(header: MessageHeader): number {
    const hold = this.heldBy(header.ordinal);
    return hold === undefined ? header.tokens : heldTokens(header, hold, this.#shape);
  }

  /** Tokens that what the draft changes takes in another one, above all the current plan: it frees no more than these. */
  tokensIn(other: DraftPlan): number {
    const held = this.proposals.flatMap(({ ordinals }) => ordinals);
    return held.reduce((sum, ordinal) => sum + other.renderedTokens(this.#shape.header(ordinal)), this.#shrunkTokens);
  }

  /** The chosen proposals that still hold a message, each reduced to the messages that it still holds. */
  get proposals(): readonly CompactionProposal[] {
    this.#proposals ??= this.#chosen
      .map((proposal) => (this.#reduced.has(proposal) ? this.#leftOf(proposal) : proposal))
      .filter((proposal) => proposal.ordinals.length > 0);
    return this.#proposals;
  }

  #leftOf(proposal: CompactionProposal): CompactionProposal {
    return { ...proposal, ordinals: proposal.ordinals.filter((ordinal) => this.#held.get(ordinal) === proposal) };
  }

  /** The records of the current plan that still hold a message, each reduced to the messages that it still holds. */
  get keptRecords(): readonly PlanRecord[] {
    const held = new Map<PlanRecord, number[]>();
    for (const [ordinal, record] of this.#kept) {
      const ordinals = held.get(record);
      if (ordinals === undefined) held.set(record, [ordinal]);
      else ordinals.push(ordinal);
    }
    return [...held].flatMap(([record, ordinals]) =>
      splitRecord(record, ordinals, this.#shape).map((placed) => placed.record),
    );
  }
}

function heldTokens(header: MessageHeader, hold: Hold, shape: ThreadShape): number {
  const preview = "span" in hold ? previewOf(hold) : undefined;
  if (preview !== undefined) return header.tokens - preview.leftOutTokens + POINTER_TOKENS;
  switch (hold.action) {
    case "drop":
      return 0;
    case "summarize": {
      const first = "span" in hold ? shape.headerOf(hold.span.messageIds[0] as never)?.ordinal : hold.ordinals[0];
      return first === header.ordinal && "summaryTokens" in hold ? hold.summaryTokens : 0;
    }
    case "externalize": {
      const body = Math.max(header.shares.toolResult, header.shares.text);
      return header.tokens - body + pointerTokens(body);
    }
    case "clear": {
      const { shares } = header;
      const part = {
        "tool-result": shares.toolResult,
        "tool-input": shares.toolInput,
        reasoning: shares.reasoning,
        media: shares.media,
        text: shares.text,
      };
      const cleared = hold.targets.reduce((sum, target) => sum + part[target], 0);
      const kept = hold.keep === undefined ? 0 : Math.ceil((hold.keep.headCharacters + hold.keep.tailCharacters) / 4);
      return header.tokens - cleared + PLACEHOLDER_TOKENS + kept;
    }
  }
}
