import {
  isUnsettled,
  type MessageId,
  type OpenItem,
  type StructuredSummary,
  type SummaryChange,
} from "@threadfold/core";
import { cutMiddle, excerpt, type MiddleMarker } from "../../text/excerpt.ts";
import { askedExcerpt, isStatement, opensPasted, type Speech } from "../reading/speech.ts";
import {
  CANCELLATION,
  COMPLAINT,
  corrects,
  goesOn,
  isAcknowledgement,
  isSlashCommand,
  isTakenBack,
  REVERSAL,
  RULE,
  reportsTrouble,
  SETBACK,
  UNDONE,
} from "../text/phrases.ts";
import { ASKS_ONLY, asked, partRead, sentencesOf } from "../text/sentence.ts";
import { isAnswerAlone, type Reaction, Request } from "./request.ts";
import type { Candidate, Harvest, HarvestContext, SpanCollector, SpanStart } from "./span-collector.ts";

const MAX_CURRENT = 200;
/** A request with fewer characters that was done without a word is not worth a line. */
const MIN_DONE = 30;
/** A message that is repeated word for word this many times, and reports no trouble, is sent by a program. */
const NUDGES = 3;
/** The note that harnesses leave when a user stopped the agent. */
const INTERRUPTION =
  /^\s*\[?(?:request |turn |conversation |operation |task )?(?:was )?(?:interrupted|aborted|cancell?ed|stopped) by (?:the )?user/i;

/**
 * Finds what users asked for and its outcome, for requests in this span and those that earlier folds left unsettled.
 * The first request of the first fold is the original task, word for word. A request is closed by the answer that ends
 * its turn, by thanks, or by the next request; if the user comes back to it, it gets the status of the request that
 * does so. It stays open when the agent said that it could not do it, or when it has no answer. Finished work thus
 * never looks like work to do (L28).
 */
export class RequestCollector implements SpanCollector {
  readonly #requests: Request[];
  readonly #previous: StructuredSummary | null;
  readonly #earlier: readonly OpenItem[];
  readonly #times = new Map<string, number>();
  /** The request that the agent is working on, or whose answer the user has not reacted to yet. */
  #live: Request | null | undefined;
  #lastMessage: MessageId | null = null;
  #lastSaid: Speech | null = null;

  /** False for a span that begins in the middle of a thread, which does not contain the original task. */
  readonly #opensThread: boolean;

  constructor({ previous, messages }: SpanStart) {
    this.#previous = previous;
    const first = messages[0];
    this.#opensThread =
      first === undefined ||
      first.turn === 0 ||
      (first.turn === 1 && first.role === "user" && first.origin === undefined);
    this.#earlier = (previous?.openItems ?? []).filter(({ kind }) => kind === "request");
    this.#requests = carriedRequests(this.#earlier, questionsIn(previous));
    for (const { key } of this.#requests) this.#times.set(key, 1);
  }

  userSpeech(speech: Speech): void {
    const before = this.#liveAt(speech.place.turn);
    const question = asked(this.#lastSaid?.sentences ?? [])
      .at(-1)
      ?.text.replaceAll('"', "'");
    const { text, sentences, place } = speech;
    if (this.#lastMessage === place.messageId) return;
    this.#lastMessage = place.messageId;
    this.#lastSaid = null;
    if (isSlashCommand(text)) return;
    const takesBack = isTakenBack(text);
    if (!takesBack && isAcknowledgement(text)) {
      if (before?.acknowledge(speech) === false) this.#live = null;
      return;
    }
    before?.makeWay(takesBack ? "takes-back" : reactionOf(speech), text, setsRight(speech));
    // A user who only withdraws something asks for nothing.
    if (takesBack || (sentences.length > 0 && sentences.every(({ marks }) => marks & CANCELLATION))) {
      this.#live = null;
      return;
    }
    const isOriginal = this.#opensThread && this.#previous?.originalTask == null && this.#requests.length === 0;
    const request = Request.of(speech, isOriginal, question);
    this.#times.set(request.key, (this.#times.get(request.key) ?? 0) + 1);
    this.#requests.push(request);
    this.#live = request;
  }

  agentSpeech(speech: Speech): void {
    if (speech.text.trim() !== "") this.#lastSaid = speech;
    const request = this.#atWork(speech.place.turn);
    if (speech.closing) request?.answer(speech);
    else request?.work();
  }

  otherText(text: string, { turn }: Speech["place"]): void {
    if (INTERRUPTION.test(text)) this.#liveAt(turn)?.interrupt();
  }

  call({ place }: { readonly place: Speech["place"] }): void {
    this.#atWork(place.turn)?.work();
  }

  /**
   * The request that the agent is working on. At the beginning of a span without a request, one from before the span.
   */
  #atWork(turn: number): Request | null {
    const live = this.#liveAt(turn);
    if (live !== null || this.#requests.length > 0 || this.#opensThread || this.#previous !== null) return live;
    this.#live = Request.ofTurn(turn);
    this.#requests.push(this.#live);
    return this.#live;
  }

  /**
   * The live request; at the beginning of a span, the newest one of the previous summary, unless its turn is long over.
   */
  #liveAt(turn: number): Request | null {
    if (this.#live !== undefined) return this.#live;
    const newest = this.#requests.at(-1);
    this.#live = newest !== undefined && (newest.carried?.turn ?? -1) >= turn - 1 ? newest : null;
    for (const request of this.#requests) {
      if (this.#live === null) request.lapse();
      else if (request !== this.#live && request.carried?.status === "asked") request.makeWay("comes-back");
    }
    return this.#live;
  }

  harvest(context: HarvestContext): Harvest {
    const requests = this.#settled(context);
    const changes: SummaryChange[] = [];
    const first = requests.find(({ isOriginalTask }) => isOriginalTask);
    if (first !== undefined) {
      const task = { text: originalTaskText(first.text, context), sources: first.asked };
      changes.push({ op: "set-original-task", task });
    }
    const task = this.#currentTask(context);
    if (task !== (context.previous?.currentTask ?? null)) changes.push({ op: "set-current-task", task });
    for (const { id } of this.#earlier.filter((item) => isToldWith(item, this.#earlier) && !isUnsettled(item)))
      changes.push({ op: "resolve", section: "openItems", itemId: id, reason: "told with its request" });
    return { changes, candidates: requests.flatMap((request, index) => this.#candidate(request, index, context)) };
  }

  /** The requests made by people, each once and with its final status. */
  #settled({ messages }: HarvestContext): readonly Request[] {
    this.#live?.lastsUntil(messages.at(-1)?.turn);
    for (let index = this.#requests.length - 2; index >= 0; index--) {
      const [request, next] = this.#requests.slice(index, index + 2) as [Request, Request];
      if (this.#isNudge(next)) request.goOnWith(next);
      else request.share(next);
    }
    const newest = new Map(this.#requests.map((request) => [request.key, request]));
    const settled = this.#requests.filter(
      (request) =>
        request.carried !== null ||
        request.isOriginalTask ||
        (newest.get(request.key) === request && !this.#isNudge(request)),
    );
    if (this.#live != null && !settled.includes(this.#live)) this.#live = settled.at(-1) ?? null;
    return settled;
  }

  /** True for a message that a program keeps sending. What people keep sending is an error that does not go away. */
  #isNudge({ key, isOriginalTask, carried, text }: Request): boolean {
    if (isOriginalTask || carried !== null || (this.#times.get(key) ?? 0) < NUDGES) return false;
    return !reportsTrouble(text) && !saysTrouble(text);
  }

  #candidate(request: Request, index: number, { messages, lastTurn }: HarvestContext): readonly Candidate[] {
    const { carried, isTold, key } = request;
    const now = request === this.#live ? (messages.at(-1)?.turn ?? null) : null;
    const item = request.item(lastTurn, now);
    const isNewest = index === this.#requests.length - 1;
    if (carried !== null) {
      const same = item.status === carried.status && item.context === carried.context && item.turn === carried.turn;
      if (same) return [];
    } else if (request.asked.length === 0) {
      // A request whose words are not known is worth a line only for its outcome.
      if (!isTold || item.status === "asked") return [];
    } else if (!isNewest && item.status === "done" && !isTold && key.length < MIN_DONE) return [];
    const known = carried ?? this.#earlier.find(({ description }) => description === item.description);
    const worth = (isUnsettled(item) ? 2 : isTold ? 1 : 0.5) + (index + 1) / this.#requests.length;
    return [{ section: "openItems", item, worth, ...(known !== undefined && { supersedes: known.id }) }];
  }

  /**
   * What the agent is working on at the end of the span. Null when its turn is over, because the request is then done.
   */
  #currentTask({ lastTurn, previous }: HarvestContext): string | null {
    const request = this.#live ?? null;
    if (lastTurn === "ended" || lastTurn === "answered" || (request === null && this.#requests.length > 0)) return null;
    if (request !== null && !isUnsettled(request.item(lastTurn, null))) return null;
    const asked = request === null || request.asked.length === 0 ? "" : excerpt(taskLine(request.text), MAX_CURRENT);
    const sentences = this.#lastSaid?.sentences ?? [];
    const said = (sentences.findLast(isStatement) ?? sentences.at(-1))?.text ?? "";
    // If the agent just kept working, the last thing it said still shows what it is doing.
    if (said === "") return asked === "" ? (previous?.currentTask ?? null) : asked;
    return `${asked === "" ? "" : `${asked} — `}the agent last said: ${said}`;
  }
}

/** How far into a message its reaction to the last answer may be, in UTF-16 code units. */
const REACTION = 400;

/** Returns how a user's message relates to the request before it. */
function reactionOf({ text, sentences }: Speech): Reaction {
  // A sentence may be spelled differently in the text, in which case a long text must not be searched in full.
  const read = partRead(text);
  const marks = sentences
    .filter((sentence) => read.indexOf(sentence.text) < REACTION)
    .reduce((all, sentence) => all | sentence.marks, 0);
  if (marks & UNDONE) return "undid";
  if (marks & (CANCELLATION | REVERSAL)) return "takes-back";
  return marks & (SETBACK | COMPLAINT) || reportsTrouble(text) || goesOn(text) ? "comes-back" : "moves-on";
}

/** Openings of a sentence that says what to do in place of what the agent was about to do. */
const IN_PLACE = /^(?:instead|rather|stattdessen|lieber|plutôt|mejor|em vez disso|вместо этого|лучше)(?!\p{L})/iu;

/** How far into a message its words on the interrupted work are looked for, in UTF-16 code units. */
const MAX_ABOUT = 400;
/** Words for what the agent had done or was about to do. */
const OF_THE_WORK =
  /(?<!\p{L})(?:(?:this|these|those|that|your) (?:changes?|edits?|diffs?|plan)|diese[nrs]? Änderung(?:en)?|ces changements|ce changement|est[eo]s? cambios?|ess?as? mudanças?|эт[иоа]\p{L}{0,2} (?:правк|изменени)\p{L}{1,2})(?!\p{L})|(?:这个?些?|這個?些?)(?:改动|修改|更改)|(?:この|これらの)変更|이 변경/iu;

/** Checks whether a message stays with the work that its writer interrupted: it asks about it, or says how to do it. */
const setsRight = ({ text, sentences }: Speech): boolean =>
  corrects(text) ||
  ASKS_ONLY.test(text) ||
  OF_THE_WORK.test(text.slice(0, MAX_ABOUT)) ||
  sentences.some((sentence) => IN_PLACE.test(sentence.text)) ||
  (sentences.length > 0 && sentences.every(({ marks }) => marks & RULE));

const saysTrouble = (text: string): boolean =>
  sentencesOf(text, 400, 0).some(({ marks }) => marks & (SETBACK | COMPLAINT | UNDONE));

/** Unsettled requests of earlier folds, and the newest one, which the user may come back to; oldest first. */
function carriedRequests(earlier: readonly OpenItem[], questions: ReadonlySet<MessageId>): Request[] {
  const items = earlier.filter((item) => !isToldWith(item, earlier)).sort((a, b) => (a.turn ?? 0) - (b.turn ?? 0));
  return items
    .filter((item, index) => isUnsettled(item) || index === items.length - 1)
    .map((item, index, all) => {
      const asksUser = item.sources.some((source) => questions.has(source));
      return Request.carriedBy(item, answerOf(item, earlier), asksUser, all[index + 1]);
    });
}

/** The messages with the questions to the user that a summary shows without a reply. */
const questionsIn = (previous: StructuredSummary | null): ReadonlySet<MessageId> =>
  new Set(
    (previous?.openItems ?? [])
      .filter((item) => item.kind === "question" && isUnsettled(item))
      .flatMap(({ sources }) => sources),
  );

/** The item with the outcome of a request whose words were in another summary. */
const answerOf = (item: OpenItem, items: readonly OpenItem[]): OpenItem | undefined =>
  item.status === "asked" && item.turn !== undefined
    ? items.find((other) => isAnswerAlone(other) && other.turn === item.turn)
    : undefined;

const isToldWith = (item: OpenItem, items: readonly OpenItem[]): boolean =>
  items.some((other) => answerOf(other, items) === item);

/** The most of a summary that the original task may take; a longer one is cut in the middle. */
const MAX_TASK_SHARE = 0.3;
const LEFT_OUT: MiddleMarker = {
  textOf: (left) => `[… ${left} characters of this request are left out here …]`,
  room: 80,
};

const originalTaskText = (text: string, { maxTokens, countTokens }: HarvestContext): string =>
  cutMiddle(text, Math.floor(maxTokens * MAX_TASK_SHARE), countTokens, LEFT_OUT);

/** The subject of a request: its first line that is a sentence rather than a heading or tag. */
function taskLine(text: string): string {
  if (opensPasted(text)) return askedExcerpt(text, MAX_CURRENT);
  const sentence = sentencesOf(text, 4_000, 0).find(
    ({ text: line }) => line.length > 20 && !/^[<[#/]/.test(line) && !line.endsWith(":"),
  );
  return sentence?.text ?? text.slice(0, 400);
}
