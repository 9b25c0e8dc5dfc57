import {
  finishSteps,
  type MessageHeader,
  type PlanRecord,
  type PlanRecords,
  planRecords,
  previewOf,
  type Steps,
  splitRecord,
  type ThreadShape,
} from "@threadfold/core";
import {
  type CompactionProposal,
  type Hold,
  PLACEHOLDER_TOKENS,
  POINTER_TOKENS,
  pointerTokens,
} from "../strategy/compaction-strategy.ts";
import { recordOnceRead } from "./unread-results.ts";

/** Messages processed in one step; a step takes less than a millisecond. */
const AT_A_TIME = 4_096;

/** A plan under construction: the record of the current plan, or the chosen proposal, that holds each message. */
export class DraftPlan {
  readonly #shape: ThreadShape;
  readonly #holds = new Map<number, Hold>();
  readonly #chosen: CompactionProposal[] = [];
  #shrunk = false;
  #proposals: readonly CompactionProposal[] | undefined;

  constructor(records: PlanRecords, shape: ThreadShape) {
    this.#shape = shape;
    for (const record of planRecords(records)) {
      const ordinals = shape.ordinalsOf(record.span) ?? record.span.messageIds.map((id) => shape.headerOf(id)?.ordinal);
      for (const ordinal of ordinals) if (ordinal !== undefined) this.#holds.set(ordinal, record);
    }
  }

  heldBy(ordinal: number): Hold | undefined {
    return this.#holds.get(ordinal);
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
      this.#holds.set(ordinal, proposal);
      if (index % AT_A_TIME === AT_A_TIME - 1) yield;
    }
  }

  /** Shows less of a result that was unread when the current plan was made. Returns the number of tokens freed. */
  shrinkRead(ordinal: number): number {
    const hold = this.#holds.get(ordinal);
    const shrunk = hold !== undefined && "span" in hold ? recordOnceRead(hold) : null;
    if (shrunk === null) return 0;
    const header = this.#shape.header(ordinal);
    const before = this.renderedTokens(header);
    this.#holds.set(ordinal, shrunk);
    this.#shrunk = true;
    this.#proposals = undefined;
    return Math.max(0, before - this.renderedTokens(header));
  }

  /** True when the draft is still the current plan, unchanged. */
  get isUnchanged(): boolean {
    return this.#chosen.length === 0 && !this.#shrunk;
  }

  /** Tokens of a message as the draft renders it. An estimate until its proposal is fulfilled. */
  renderedTokens(header: MessageHeader): number {
    const hold = this.#holds.get(header.ordinal);
    return hold === undefined ? header.tokens : heldTokens(header, hold, this.#shape);
  }

  /** The chosen proposals that still hold a message, each reduced to the messages that it still holds. */
  get proposals(): readonly CompactionProposal[] {
    this.#proposals ??= this.#chosen
      .map((proposal) => ({
        ...proposal,
        ordinals: proposal.ordinals.filter((ordinal) => this.#holds.get(ordinal) === proposal),
      }))
      .filter((proposal) => proposal.ordinals.length > 0);
    return this.#proposals;
  }

  /** The records of the current plan that still hold a message, each reduced to the messages that it still holds. */
  get keptRecords(): readonly PlanRecord[] {
    const held = new Map<PlanRecord, number[]>();
    for (const [ordinal, hold] of this.#holds) {
      if (!("span" in hold)) continue;
      const ordinals = held.get(hold);
      if (ordinals === undefined) held.set(hold, [ordinal]);
      else ordinals.push(ordinal);
    }
    return [...held].flatMap(([record, ordinals]) =>
      splitRecord(
        record,
        ordinals.sort((a, b) => a - b),
        this.#shape,
      ).map((placed) => placed.record),
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
