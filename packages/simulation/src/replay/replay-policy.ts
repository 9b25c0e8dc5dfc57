import { setImmediate as nextTick } from "node:timers/promises";
import {
  type CachedRequest,
  EventLoopTurns,
  type Message,
  type Steps,
  ThreadfoldError,
  visibleText,
} from "@threadfold/core";
import { QUERY_MESSAGES, recallQuery } from "@threadfold/rehydration";
import {
  AUTO_BILL,
  autoBill,
  callBills,
  type ProviderBills,
  providerBillsInSteps,
  type TimedRequest,
} from "../measure/call-bill.ts";
import { PairCheck, showsMessage } from "../measure/pair-check.ts";
import { type KnownPiece, type MeasuredPrompt, PrefixUnits, PromptMeter } from "../measure/prompt-meter.ts";
import type { PromptMemory, ReplayableSession } from "../memory/session-memory.ts";
import type { Need } from "../needs/session-needs.ts";
import {
  type PolicyContext,
  type PolicyPrompt,
  type PolicyRun,
  type PromptPolicy,
  pieceText,
} from "../policy/prompt-policy.ts";
import { type RecordedCall, type RecordedSession, tokensOfCharacters } from "../recording/recorded-session.ts";
import type { ScriptedSummarizer } from "../summaries/scripted-summarizer.ts";
import type { CallFigures, NeedTally } from "./call-figures.ts";

export interface ReplayOptions {
  readonly budgetTokens: number;
  readonly summarizer: ScriptedSummarizer;
  readonly signal?: AbortSignal;
}

/** The result of replaying a session under a policy at a budget. */
export interface PolicyReplay {
  readonly policy: string;
  readonly session: string;
  readonly budgetTokens: number;
  readonly calls: readonly CallFigures[];
  readonly bills: ProviderBills;
  /** The first thing that the policy threw, for people; absent when it threw nothing. */
  readonly problem?: string;
}

/** The longest that a replay holds up other work of the process, including an interrupt, in milliseconds. */
const LONGEST_HOLD = 50;

/**
 * Replays a recorded session under a policy: before each recorded call the policy gets what the log adds and returns a
 * prompt, which is measured against what the call then used.
 *
 * @throws ThreadfoldError `ABORTED`. What the policy throws is counted and does not end the replay.
 */
export async function replayPolicy(
  replayable: ReplayableSession,
  policy: PromptPolicy,
  options: ReplayOptions,
): Promise<PolicyReplay> {
  const { session } = replayable;
  const run = await begun(policy, policyContext(session, options));
  const replay = new Replay(replayable, run, options.budgetTokens);
  try {
    // Many short replays in a row must not block the process any longer than one long replay does.
    let held = Number.NEGATIVE_INFINITY;
    for (const call of session.calls) {
      if (performance.now() - held > LONGEST_HOLD) {
        await nextTick();
        held = performance.now();
      }
      refuseAborted(options.signal);
      await replay.take(call);
    }
  } finally {
    await run.end();
  }
  const bills = await new EventLoopTurns().finish(replay.bills(), options.signal).catch((thrown: unknown) => {
    refuseAborted(options.signal);
    throw thrown;
  });
  return {
    policy: policy.id,
    session: session.name,
    budgetTokens: options.budgetTokens,
    calls: replay.calls,
    bills,
    ...(replay.problem !== undefined && { problem: replay.problem }),
  };
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new ThreadfoldError("ABORTED", "The simulation was interrupted.", { cause: signal.reason });
}

/** Begins a policy. If that fails, the policy makes no prompts: every call of it throws. */
async function begun(policy: PromptPolicy, context: PolicyContext): Promise<PolicyRun> {
  try {
    return await policy.begin(context);
  } catch (error) {
    return { prompt: () => Promise.reject(error), end: async () => undefined };
  }
}

function policyContext({ sessionId, system, tools }: RecordedSession, options: ReplayOptions): PolicyContext {
  const { budgetTokens, summarizer } = options;
  return { sessionId, budgetTokens, system, tools, summarize: summarizer.text, countTokens };
}

const countTokens = (text: string): number => Math.ceil(tokensOfCharacters(text.length));

class Replay {
  readonly calls: CallFigures[] = [];
  readonly #requests: CachedRequest[] = [];
  /** The requests of a policy that chooses how long prefixes are cached. */
  readonly #timed: TimedRequest[] = [];
  problem: string | undefined;
  readonly #replayable: ReplayableSession;
  readonly #run: PolicyRun;
  readonly #budget: number;
  readonly #meter: PromptMeter;
  readonly #units = new PrefixUnits();
  readonly #pairs = new PairCheck();
  readonly #systemTokens: number;
  readonly #asked: ReadonlySet<number>;
  #before: number | undefined;

  constructor(replayable: ReplayableSession, run: PolicyRun, budgetTokens: number) {
    this.#replayable = replayable;
    this.#run = run;
    this.#budget = budgetTokens;
    this.#meter = new PromptMeter(replayable.pieces, replayable.needs.patterns.length);
    this.#systemTokens = tokensOf(replayable.session.system);
    this.#asked = replayable.memory.askedCalls(budgetTokens);
  }

  *bills(): Steps<ProviderBills> {
    const bills = yield* providerBillsInSteps(this.#requests);
    const isTimed = this.#timed.length === this.#requests.length && this.#timed.length > 0;
    return isTimed ? { ...bills, [AUTO_BILL]: yield* autoBill(this.#timed) } : bills;
  }

  async take(call: RecordedCall): Promise<void> {
    this.#pairs.add(call.added);
    let prompt: PolicyPrompt;
    try {
      prompt = await this.#run.prompt(call.added, call.at);
    } catch (error) {
      this.problem ??= error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      this.calls.push(this.#thrown(call));
      return;
    }
    this.calls.push(await this.#measure(call, prompt));
  }

  async #measure(call: RecordedCall, prompt: PolicyPrompt): Promise<CallFigures> {
    const { messages, summaryCalls, committed, milliseconds, cacheTime } = prompt;
    const measured = this.#meter.take(messages);
    const request = this.#units.request(messages, measured, call.at);
    this.#requests.push(request);
    if (cacheTime !== undefined) this.#timed.push({ request, time: cacheTime });
    const summaryRead = summaryCalls.reduce((sum, { read }) => sum + read, 0);
    const summaryWrote = summaryCalls.reduce((sum, { wrote }) => sum + wrote, 0);
    const pause = this.#before === undefined ? Number.POSITIVE_INFINITY : call.at - this.#before;
    this.#before = call.at;
    const { tokens, sharedTokens, breaks } = measured;
    const newest = call.added.at(-1) as Message;
    const constraints = this.#replayable.needs.constraintsByCall[call.index] as readonly number[];
    return {
      at: call.at,
      tokens,
      bills: callBills({ tokens, sharedTokens, pause, summaryRead, summaryWrote }),
      breaks,
      committed,
      summaryRead,
      summaryWrote,
      milliseconds,
      ...(await this.#needs(call)),
      memory: this.#memory(call, messages, measured),
      constraints: constraints.length,
      constraintsKept: constraints.filter((pattern) => this.#meter.has(pattern)).length,
      violations: Math.max(prompt.violations, this.#pairs.brokenPairs(messages)),
      overBudget: tokens > this.#budget,
      unavoidable: this.#isUnavoidable(call),
      empty: !messages.some(({ role, text }) => role !== "system" && text.trim() !== ""),
      newestLost: !showsMessage(messages, newest),
      thrown: false,
    };
  }

  async #needs(call: RecordedCall): Promise<Pick<CallFigures, "all" | "cold" | "answerTokens">> {
    const { byCall, patterns } = this.#replayable.needs;
    const needs = byCall[call.index] as readonly Need[];
    const missing = new Set(needs.filter(({ pattern }) => !this.#meter.has(pattern)));
    const answers = missing.size === 0 ? null : await this.#answers(call);
    const tally = (some: readonly Need[]): NeedTally => {
      const reached = (answer: string): number =>
        some.filter((need) => !missing.has(need) || answer.includes(patterns[need.pattern] as string)).length;
      return {
        needs: some.length,
        direct: reached(""),
        reachable: reached(answers?.own ?? ""),
        byOwnWords: reached(answers?.ownWords ?? ""),
        byCallWords: reached(answers?.callWords ?? ""),
      };
    };
    return {
      all: tally(needs),
      cold: tally(needs.filter(({ cold }) => cold)),
      answerTokens: answers === null ? null : countTokens(answers.own),
    };
  }

  #memory(
    { index }: RecordedCall,
    messages: PolicyPrompt["messages"],
    { pieces }: MeasuredPrompt,
  ): PromptMemory | null {
    if (!this.#asked.has(index)) return null;
    const asked = messages.map((piece, place) => ({ piece, known: pieces[place] as KnownPiece }));
    return this.#replayable.memory.ask(index, asked);
  }

  /** Returns the answers of a policy with recall to each query of a call. */
  async #answers(call: RecordedCall): Promise<RecallAnswers | null> {
    if (this.#run.recall === undefined) return null;
    const { own, ownWords, callWords } = recallQueries(this.#replayable.session.messages, call);
    return {
      own: await this.#run.recall(own),
      ownWords: await this.#run.recall(ownWords),
      callWords: await this.#run.recall(callWords),
    };
  }

  #thrown(call: RecordedCall): CallFigures {
    const needs = this.#replayable.needs.byCall[call.index] as readonly Need[];
    const lost = (count: number): NeedTally => ({
      ...{ needs: count, direct: 0, reachable: 0 },
      ...{ byOwnWords: 0, byCallWords: 0 },
    });
    return {
      at: call.at,
      tokens: 0,
      bills: { a: 0, b: 0, c: 0 },
      breaks: false,
      committed: false,
      summaryRead: 0,
      summaryWrote: 0,
      milliseconds: 0,
      all: lost(needs.length),
      cold: lost(needs.filter(({ cold }) => cold).length),
      answerTokens: null,
      memory: this.#asked.has(call.index) ? this.#replayable.memory.ask(call.index, []) : null,
      constraints: this.#replayable.needs.constraintsByCall[call.index]?.length ?? 0,
      constraintsKept: 0,
      violations: 0,
      overBudget: false,
      unavoidable: this.#isUnavoidable(call),
      empty: false,
      newestLost: false,
      thrown: true,
    };
  }

  #isUnavoidable({ added }: RecordedCall): boolean {
    return this.#systemTokens + tokensOf(added.map(pieceText)) > this.#budget;
  }
}

/** The answers to the queries of a call. */
type RecallAnswers = Readonly<Record<keyof ReturnType<typeof recallQueries>, string>>;

const tokensOf = (texts: readonly string[]): number =>
  tokensOfCharacters(texts.reduce((sum, text) => sum + text.length, 0));

/** The queries that recall is given before a call is made. */
export interface RecallQueries {
  /** The automatic query of a session: made from the last messages before the call, without knowing the call. */
  readonly own: string;
  /** What the agent said with the call or, if it said nothing, what it said last. */
  readonly ownWords: string;
  /** The call itself, which nobody knows before it is made: it shows how much better a query could be. */
  readonly callWords: string;
}

/** Returns the queries before a recorded call, from the messages of its session. */
export function recallQueries(messages: readonly Message[], { answer }: Pick<RecordedCall, "answer">): RecallQueries {
  const end = (answer[0] as Message).ordinal;
  const said = saidIn(answer);
  return {
    own: recallQuery(messages.slice(Math.max(0, end - QUERY_MESSAGES), end)),
    ownWords: said === "" ? lastSaid(messages, end) : said,
    callWords: answer.map(visibleText).join("\n"),
  };
}

function lastSaid(messages: readonly Message[], end: number): string {
  for (let ordinal = end - 1; ordinal >= 0; ordinal--) {
    const message = messages[ordinal] as Message;
    const said = message.role === "assistant" && message.branch === undefined ? saidIn([message]) : "";
    if (said !== "") return said;
  }
  return "";
}

const saidIn = (messages: readonly Message[]): string =>
  messages
    .filter(({ role }) => role === "assistant")
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])))
    .join("\n")
    .trim();
