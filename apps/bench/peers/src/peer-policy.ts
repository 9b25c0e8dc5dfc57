import {
  type PolicyContext,
  type PolicyPrompt,
  type PolicyRun,
  type PromptPiece,
  type PromptPolicy,
  pieceOf,
  systemPieces,
  WorkTime,
} from "@threadfold/simulation";
import type { Message } from "threadfold";
import { ScriptedModel } from "./scripted-model.ts";

/** A peer's own message type: how to convert ours to it, and how to read its text. */
export interface PeerShape<Native extends object> {
  /**
   * Returns the peer's messages for what the log adds before one call, in order, with the log messages each stands for.
   */
  convert(added: readonly Message[]): readonly Converted<Native>[];
  /** Returns the content of a peer's message in the form that ours have: see `pieceText`. */
  piece(native: Native): PromptPiece;
}

/** A message of a peer, and the messages of the log that it stands for. */
export interface Converted<Native> {
  readonly native: Native;
  readonly sources: readonly Message[];
}

/** What a peer receives when a session begins. */
export interface PeerContext<Native extends object> {
  readonly context: PolicyContext;
  /** What is left of the budget for messages: the system text comes before every prompt. */
  readonly budget: number;
  /** Returns the tokens of a message, as the comparison counts them. Each message is counted once. */
  readonly tokensOf: (native: Native) => number;
  readonly model: ScriptedModel<Native>;
}

/** One session under a peer: takes the new messages and returns the whole prompt. */
export type PeerTurn<Native> = (added: readonly Native[], at: number) => Promise<readonly Native[]>;

/**
 * Makes a peer a policy. Only the peer's own work is timed: conversions run before and after it, and waiting for its
 * model does not count. System text, both the session's and the text that a log begins with, comes before every prompt,
 * as with peers, and leaves less room for the rest.
 */
export function peerPolicy<Native extends object>(
  id: string,
  shape: PeerShape<Native>,
  begin: (context: PeerContext<Native>) => Promise<PeerTurn<Native>> | PeerTurn<Native>,
): PromptPolicy {
  return { id, begin: async (context) => new PeerRun(context, shape, begin) };
}

class PeerRun<Native extends object> implements PolicyRun {
  readonly #context: PolicyContext;
  readonly #shape: PeerShape<Native>;
  readonly #pieceOf: (native: Native) => PromptPiece;
  readonly #time = new WorkTime();
  readonly #model: ScriptedModel<Native>;
  readonly #begin: (context: PeerContext<Native>) => Promise<PeerTurn<Native>> | PeerTurn<Native>;
  #frame: readonly PromptPiece[];
  #turn: PeerTurn<Native> | undefined;
  #before: readonly PromptPiece[] = [];

  constructor(
    context: PolicyContext,
    shape: PeerShape<Native>,
    begin: (context: PeerContext<Native>) => Promise<PeerTurn<Native>> | PeerTurn<Native>,
  ) {
    this.#context = context;
    this.#shape = shape;
    this.#begin = begin;
    this.#pieceOf = rememberedPieces(shape);
    this.#model = new ScriptedModel(context, this.#pieceOf, this.#time);
    this.#frame = systemPieces(context);
  }

  async prompt(added: readonly Message[], at: number): Promise<PolicyPrompt> {
    const spoken = this.#turn === undefined ? this.#takeFrame(added) : added;
    const turn = await this.#peer();
    const converted = this.#shape.convert(spoken);
    for (const { native, sources } of converted) this.#model.learn(native, sources);
    const natives = converted.map(({ native }) => native);
    const { result: prompt, milliseconds } = await this.#time.of(() => turn(natives, at));
    const messages = [...this.#frame, ...prompt.map(this.#pieceOf)];
    const committed = !this.#before.every((piece, index) => saysTheSame(piece, messages[index]));
    this.#before = messages;
    return { messages, summaryCalls: this.#model.takeCalls(), committed, violations: 0, milliseconds };
  }

  async end(): Promise<void> {
    this.#before = [];
  }

  /** Moves the system messages at the beginning of the log to the frame and returns the rest. */
  #takeFrame(added: readonly Message[]): readonly Message[] {
    const start = added.findIndex(({ role }) => role !== "system");
    this.#frame = [...this.#frame, ...added.slice(0, start).map((message) => pieceOf(message))];
    return added.slice(start);
  }

  async #peer(): Promise<PeerTurn<Native>> {
    if (this.#turn !== undefined) return this.#turn;
    const { countTokens, budgetTokens } = this.#context;
    const tokensOf = remembered((native: Native) => countTokens(this.#pieceOf(native).text));
    const budget = this.#frame.reduce((left, { text }) => left - countTokens(text), budgetTokens);
    this.#turn = await this.#begin({ context: this.#context, budget, tokensOf, model: this.#model });
    return this.#turn;
  }
}

function saysTheSame(before: PromptPiece, now: PromptPiece | undefined): boolean {
  return before === now || (before.role === now?.role && before.text === now.text);
}

/** Caches pieces by message, and by content for peers that copy their messages at every call. */
function rememberedPieces<Native extends object>(shape: PeerShape<Native>): (native: Native) => PromptPiece {
  const known = new Map<string, PromptPiece>();
  return remembered((native: Native) => {
    const piece = shape.piece(native);
    const name = JSON.stringify([piece.role, piece.callIds, piece.resultIds, piece.text]);
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, piece);
    return piece;
  });
}

function remembered<Native extends object, Value>(look: (native: Native) => Value): (native: Native) => Value {
  const known = new WeakMap<Native, Value>();
  return (native) => {
    const found = known.get(native);
    if (found !== undefined) return found;
    const value = look(native);
    known.set(native, value);
    return value;
  };
}
