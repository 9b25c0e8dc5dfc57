import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { LegalityViolation } from "@threadfold/core";
import { formatById } from "threadfold";
import { moveAt, type ScriptedMove, STANDING_RULE } from "../script/scripted-agent.ts";
import type { Body, ProviderProtocol, Refusal } from "./provider-protocol.ts";
import { type ReasoningFigures, ThoughtsSent } from "./thoughts-sent.ts";

/** The protocol, the window and the faults of a double. */
interface DoubleOptions {
  readonly protocol: ProviderProtocol;
  /** Tokens above which a request is refused as too long (characters / 4 of the body's pieces). */
  readonly contextWindow: number;
  readonly faults?: FaultPlan;
}

/** The figures that a double has recorded. */
export interface DoubleFigures {
  /** Number of requests that were answered; also the index of the script's next move. */
  readonly answered: number;
  /** Requests refused for breaking a rule of the provider, each as the text of the broken rules. */
  readonly illegal: readonly string[];
  /** Number of requests that exceeded the window. */
  readonly overBudget: number;
  /** Number of requests without the user's standing rule, word for word. */
  readonly withoutRule: number;
  /** How much of the model's reasoning came back, in the steps of open tool loops. */
  readonly reasoning: ReasoningFigures;
  /** Number of faults played, each once. */
  readonly faults: number;
  readonly peakTokens: number;
  /** Share of input tokens that a cache of the newest request would have served. */
  readonly cacheHitRate: number;
}

/** A local server that speaks a provider's protocol, enforces its rules and follows the script. */
interface ProviderDouble {
  readonly url: string;
  readonly figures: DoubleFigures;
  close(): Promise<void>;
}

/** Starts a double on a free port of the loopback. Every request is checked as the provider would check it. */
export async function startProviderDouble(options: DoubleOptions): Promise<ProviderDouble> {
  const responder = new Responder(options);
  const server = createServer((request, response) => {
    serve(responder, options.protocol, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get figures() {
      return responder.figures;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

type Reply = { readonly answer: Body } | { readonly refusal: Refusal };

/** Above this share of the window a prompt is long enough for a provider to refuse it. */
const LONG_SHARE = 0.6;

/** Decides how a request is answered. */
class Responder {
  readonly #options: DoubleOptions;
  readonly #cache = new PrefixCache();
  readonly #thoughts: ThoughtsSent;
  readonly #illegal: string[] = [];
  readonly #due: Fault[] = [];
  #planned = -1;
  #faults = 0;
  #answered = 0;
  #overBudget = 0;
  #withoutRule = 0;
  #peakTokens = 0;

  constructor(options: DoubleOptions) {
    this.#options = options;
    this.#thoughts = new ThoughtsSent(options.protocol);
  }

  get figures(): DoubleFigures {
    return {
      answered: this.#answered,
      illegal: this.#illegal,
      overBudget: this.#overBudget,
      withoutRule: this.#withoutRule,
      reasoning: this.#thoughts.figures,
      faults: this.#faults,
      peakTokens: this.#peakTokens,
      cacheHitRate: this.#cache.hitRate,
    };
  }

  reply(body: Body): Reply {
    const { protocol, contextWindow } = this.#options;
    const violations = formatById(protocol.format).check(payloadOf(body));
    const problem = violations.length > 0 ? ruleTexts(violations) : this.#thoughts.problemOf(body);
    if (problem !== null) return this.#refuseIllegal(problem);
    const pieces = protocol.pieces(body);
    const tokens = pieces.reduce((sum, piece) => sum + tokensOf(piece), 0);
    if (tokens > contextWindow) {
      this.#overBudget++;
      return { refusal: { kind: "overflow", tokens, limit: contextWindow } };
    }
    const index = this.#answered;
    const fault = this.#faultOf(index, tokens);
    // The provider's tokenizer counts more than characters / 4.
    if (fault === "overflow") return { refusal: { kind: "overflow", tokens: Math.ceil(tokens * 1.05), limit: tokens } };
    if (fault === "rate-limit" || fault === "server-error") return { refusal: { kind: fault } };
    this.#thoughts.count(body);
    return { answer: this.#answer(body, pieces, index, fault === "max-output") };
  }

  /** Returns the fault that is due, once. A prompt is refused as too long only when it is long. */
  #faultOf(index: number, tokens: number): Fault | undefined {
    const { contextWindow, faults = NO_FAULTS } = this.#options;
    if (this.#planned !== index) {
      this.#planned = index;
      const fault = faults(index);
      if (fault !== undefined) this.#due.push(fault);
    }
    const isLong = tokens > contextWindow * LONG_SHARE;
    const place = this.#due.findIndex((fault) => fault !== "overflow" || isLong);
    const [fault] = place === -1 ? [] : this.#due.splice(place, 1);
    if (fault !== undefined) this.#faults++;
    return fault;
  }

  #answer(body: Body, pieces: readonly string[], index: number, cutOff: boolean): Body {
    const planned = moveAt(index);
    const { inputTokens, cachedTokens } = this.#cache.accept(pieces);
    this.#peakTokens = Math.max(this.#peakTokens, inputTokens);
    if (!pieces.some((piece) => piece.includes(STANDING_RULE))) this.#withoutRule++;
    const isCut = cutOff && planned.calls.length > 0;
    const move = isCut ? withOtherIds(planned) : planned;
    // The same move is repeated when its answer was cut off.
    if (!isCut) this.#answered++;
    const outputTokens = tokensOf(JSON.stringify(move));
    const id = `${index}${isCut ? "_cut" : ""}`;
    const calls = move.calls.map(({ id: callId }) => callId);
    const thought = this.#thoughts.sign(body, move.thinking, calls);
    return this.#options.protocol.answer(move, {
      id,
      model: String(body["model"]),
      ...(thought !== undefined && { thought }),
      inputTokens,
      cachedTokens,
      outputTokens,
      cutOff: isCut,
    });
  }

  #refuseIllegal(message: string): Reply {
    this.#illegal.push(message);
    return { refusal: { kind: "illegal", message } };
  }
}

const ruleTexts = (violations: readonly LegalityViolation[]): string =>
  violations.map(({ rule, problem }) => `${rule}: ${problem}`).join("; ");

/** Returns the move with different call ids: no two answers of a provider name a call alike. */
const withOtherIds = (move: ScriptedMove): ScriptedMove => ({
  ...move,
  calls: move.calls.map((call) => ({ ...call, id: `${call.id}_cut` })),
});

/** Returns the part of a body that the rules are about, without limits and most settings of the call. */
function payloadOf(body: Body): Body {
  const conversation = [
    ...["model", "thinking", "tool_choice", "system", "messages", "tools", "instructions", "input"],
    ...["system_instruction", "store", "previous_interaction_id"],
  ];
  return Object.fromEntries(Object.entries(body).filter(([key]) => conversation.includes(key)));
}

async function serve(
  responder: Responder,
  protocol: ProviderProtocol,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(request.url ?? "/", "http://double").pathname;
  if (path !== protocol.path) return send(response, 404, { error: { message: `There is no ${path} here.` } });
  const body = JSON.parse(await textOf(request)) as Body;
  const reply = responder.reply(body);
  if ("refusal" in reply) {
    const { status, body: refused } = protocol.refuse(reply.refusal);
    return send(response, status, refused, { "retry-after-ms": "1" });
  }
  if (body["stream"] !== true) return send(response, 200, reply.answer);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const { name, data } of protocol.stream(reply.answer)) {
    if (name !== undefined) response.write(`event: ${name}\n`);
    response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}

function send(response: ServerResponse, status: number, body: Body, headers: Readonly<Record<string, string>> = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

/** Prefixes with fewer tokens than this are not cached. */
const LEAST_TOKENS = 1_024;

/** Returns the tokens of a text as the double counts them. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/** Computes what a prompt cache that keeps only the newest request would have served. */
class PrefixCache {
  #previous: readonly string[] = [];
  #readTokens = 0;
  #inputTokens = 0;

  /** Takes a request piece by piece and returns how many of its tokens the cache has. */
  accept(pieces: readonly string[]): { readonly inputTokens: number; readonly cachedTokens: number } {
    const parted = pieces.findIndex((piece, index) => piece !== this.#previous[index]);
    const shared = pieces.slice(0, parted === -1 ? pieces.length : parted);
    const inputTokens = sum(pieces);
    const sharedTokens = sum(shared);
    const cachedTokens = sharedTokens < LEAST_TOKENS ? 0 : sharedTokens;
    this.#previous = pieces;
    this.#inputTokens += inputTokens;
    this.#readTokens += cachedTokens;
    return { inputTokens, cachedTokens };
  }

  /** Share of all input tokens that were read from the cache. */
  get hitRate(): number {
    return this.#inputTokens === 0 ? 0 : this.#readTokens / this.#inputTokens;
  }
}

const sum = (pieces: readonly string[]): number => pieces.reduce((total, piece) => total + tokensOf(piece), 0);

/** What can go wrong with one call. */
export type Fault = "rate-limit" | "server-error" | "overflow" | "max-output";

/** Returns whether, and how, the first attempt at model call `index` fails. */
export type FaultPlan = (index: number) => Fault | undefined;

/** Faults at fixed positions. The periods are primes, so that faults neither coincide nor keep step with the turns. */
export const USUAL_FAULTS: FaultPlan = (index) => {
  if (index % 97 === 13) return "rate-limit";
  if (index % 131 === 17) return "server-error";
  if (index % 173 === 40) return "overflow";
  if (index % 151 === 61) return "max-output";
  return undefined;
};

const NO_FAULTS: FaultPlan = () => undefined;
