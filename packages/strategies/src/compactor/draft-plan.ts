import {
  type MessageHeader,
  type PlanRecord,
  type PlanRecords,
  planRecords,
  splitRecord,
  type ThreadShape,
} from "@threadfold/core";
import type { CompactionProposal } from "../ladder/compaction-proposal.ts";
import type { Hold } from "../ladder/compaction-strategy.ts";
import { PLACEHOLDER_TOKENS, pointerTokens } from "../ladder/placeholder-tokens.ts";

/** A plan in the making: which record of the current plan, or which chosen proposal, holds each message. */
export class DraftPlan {
  readonly #shape: ThreadShape;
  readonly #holds = new Map<number, Hold>();
  readonly #chosen: CompactionProposal[] = [];

  constructor(records: PlanRecords, shape: ThreadShape) {
    this.#shape = shape;
    for (const record of planRecords(records)) {
      for (const id of record.span.messageIds) {
        const header = shape.headerOf(id);
        if (header !== undefined) this.#holds.set(header.ordinal, record);
      }
    }
  }

  heldBy(ordinal: number): Hold | undefined {
    return this.#holds.get(ordinal);
  }

  /** Takes a proposal in. What held its messages before makes way: a later rung folds deeper than an earlier one. */
  choose(proposal: CompactionProposal): void {
    this.#chosen.push(proposal);
    for (const ordinal of proposal.ordinals) this.#holds.set(ordinal, proposal);
  }

  /** Tokens of a message as the draft renders it. An estimate for what is not fulfilled yet. */
  renderedTokens(header: MessageHeader): number {
    const hold = this.#holds.get(header.ordinal);
    return hold === undefined ? header.tokens : heldTokens(header, hold, this.#shape);
  }

  /** The chosen proposals that still hold a message, each with just the messages that it still holds. */
  get proposals(): readonly CompactionProposal[] {
    return this.#chosen
      .map((proposal) => ({
        ...proposal,
        ordinals: proposal.ordinals.filter((ordinal) => this.#holds.get(ordinal) === proposal),
      }))
      .filter((proposal) => proposal.ordinals.length > 0);
  }

  /** The records of the current plan that still hold a message, each with just the messages that it still holds. */
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
