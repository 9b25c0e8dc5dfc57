import { isUnsettled, type MessageId, type NewItem, type OpenItem, ORIGINAL_TASK_ITEM } from "@threadfold/core";
import { excerpt, sentenceExcerpt, statementKey } from "../../text/excerpt.ts";
import {
  askedExcerpt,
  asksAgain,
  closingWords,
  type Speech,
  saysDone,
  saysWorkDone,
  setbackIn,
} from "../reading/speech.ts";
import { asksToGoOn } from "../text/phrases.ts";
import {
  ASKED_LAST,
  ASKS_ONLY,
  asked,
  awaitsReply,
  isAnnouncement,
  isQuestion,
  LEADS_ON,
  PROPOSES,
  quoteStatements,
  type Sentence,
  sentencesOf,
} from "../text/sentence.ts";
import type { HarvestContext } from "./span-collector.ts";

/**
 * The state of a request: the agent is working on it, ended its turn on it (with the work done, another answer, a
 * question, or a failure), or it is settled.
 */
type Standing = "in-work" | "completed" | "answered" | "asked-back" | "failed" | "done" | "cancelled" | "lapsed";

/** How a user's next request relates to the one before: withdraws it, had to undo it, comes back to it, or moves on. */
export type Reaction = "takes-back" | "undid" | "comes-back" | "moves-on";

const [MAX_REQUEST, MAX_ANSWER, MAX_SO_FAR] = [240, 240, 120];
/** A longer message, in UTF-16 code units, can be understood without the question that it answers. */
const LONGEST_REPLY = 60;
const MAX_QUESTION = 110;
/** Contexts of requests in a summary. Later folds recognize some of them. */
const BEHIND = "its outcome comes after this summary";
const GOES_ON = "work on it continues after this summary";
const OF_BEFORE = "said of the request before it";
export const WENT_ON = "went on with the next request";
const INTERRUPTED = "the user interrupted the work on it";
const GIVEN_UP = `${INTERRUPTED} and ${WENT_ON}`;

/** A request that a user made in one message, or that an earlier fold recorded, with its outcome. */
export class Request {
  readonly text: string;
  readonly key: string;
  /** The first request of the thread. */
  readonly isOriginalTask: boolean;
  /** The item of the previous summary that this request continues. */
  readonly carried: OpenItem | null;
  readonly #description: string;
  /** The messages that ask for it. */
  readonly asked: readonly MessageId[];
  #turn: number | undefined;
  #standing: Standing;
  /** What the agent said about it at the end of its turn; the message is `#answeredBy`. */
  #answer: string;
  #answeredBy: MessageId | null = null;
  /** What it had found out when the user said yes to a question; it outlives answers that only ask another one. */
  #explained: { readonly answer: string; readonly by: MessageId | null } | null = null;
  /** The agent's question to which it is a short reply; empty for others. */
  readonly #question: string;
  /** The messages of the next request, if the user came back to it with that. */
  #continuedBy: readonly MessageId[] = [];
  /** True when that answer ended with a question to the user, or with a few words on it. */
  #asksUser: boolean;
  /** True when the user came back to it before it was settled, so that it gets the status of the next request. */
  #goesOn = false;
  /** True when the user stopped the agent while it worked on it. */
  #isInterrupted: boolean;
  /** True when the agent made a call for it, and when its answer was not its last word. */
  #hasWorked = false;
  #isInterim = false;
  /** True for a question that was only answered: nothing was done for it. */
  #isTalk = false;

  private constructor(parts: {
    readonly text: string;
    readonly isOriginalTask: boolean;
    readonly description: string;
    readonly asked: readonly MessageId[];
    readonly turn: number | undefined;
    readonly standing: Standing;
    readonly answer: string;
    readonly carried: OpenItem | null;
    readonly asksUser?: boolean;
    readonly goesOn?: boolean;
    readonly question?: string;
  }) {
    this.text = parts.text;
    this.key = requestKey(parts.text);
    this.isOriginalTask = parts.isOriginalTask;
    this.carried = parts.carried;
    this.#description = parts.description;
    this.asked = parts.asked;
    this.#turn = parts.turn;
    this.#standing = parts.standing;
    this.#answer = parts.answer;
    this.#asksUser = parts.asksUser ?? false;
    this.#goesOn = parts.goesOn ?? false;
    this.#isInterrupted = parts.carried?.context === INTERRUPTED;
    this.#question = parts.question ?? "";
  }

  /** Creates the request of a user's message after a question of the agent. The very first is the original task. */
  static of({ text, place }: Speech, isOriginalTask: boolean, question = ""): Request {
    return new Request({
      text,
      question: text.length > LONGEST_REPLY ? "" : excerpt(question, MAX_QUESTION),
      description: isOriginalTask ? ORIGINAL_TASK_ITEM : askedExcerpt(text, MAX_REQUEST),
      isOriginalTask,
      asked: [place.messageId],
      turn: place.turn,
      standing: "in-work",
      answer: "",
      carried: null,
    });
  }

  /** Creates a request without words, for a span that begins after the message that made the request. */
  static ofTurn(turn: number): Request {
    const parts = { text: "", description: "", isOriginalTask: false, asked: [], carried: null } as const;
    return new Request({ ...parts, turn, standing: "in-work", answer: "" });
  }

  /**
   * Creates a request from a previous summary. `told` is the item with its outcome if that is separate, `asksUser` says
   * that this is a question that the user has not answered, and `next` is the request after it.
   */
  static carriedBy(item: OpenItem, told?: OpenItem, asksUser = false, next?: OpenItem): Request {
    const { description, turn } = item;
    const { status } = told ?? item;
    const answer = told?.description ?? (status === "asked" ? cameSoFar(item.context) : item.context);
    const isAtWork = status === "asked" || (status === "open" && answer === "");
    const standing = isAtWork ? "in-work" : status !== "open" ? status : asksUser ? "asked-back" : "failed";
    const sources = [...new Set([...item.sources, ...(told?.sources ?? [])])];
    return new Request({
      text: description,
      isOriginalTask: false,
      description,
      asked: sources,
      turn,
      standing,
      answer,
      carried: item,
      asksUser: asksUser || isQuestion(answer),
      goesOn: answer === WENT_ON && isUnsettled(item) && sources.some((source) => next?.sources.includes(source)),
    });
  }

  get isSettled(): boolean {
    return this.#standing === "done" || this.#standing === "cancelled" || this.#standing === "lapsed";
  }

  /** True when the agent said something about it that is worth a line. */
  get isTold(): boolean {
    return this.#answer !== "" && this.#answer !== WENT_ON;
  }

  /** Records that the agent said something without making a call. */
  answer({ text, sentences, place, carriesOut }: Speech): void {
    if (this.isSettled || sentences.length === 0) return;
    const completion = sentences.find(saysDone);
    const setback = setbackIn(sentences, completion !== undefined);
    const last = sentences.at(-1) as Sentence;
    const questions = asked(sentences);
    const asks = questions.includes(last);
    if (setback !== undefined) this.#standing = asks ? "asked-back" : "failed";
    else if (awaitsReply(sentences) && !sentences.some(saysWorkDone)) this.#standing = "asked-back";
    else if (completion !== undefined) this.#standing = "completed";
    else if ((isAnnouncement(last.text) || (this.#hasWorked && LEADS_ON.test(text))) && !carriesOut) return;
    else this.#standing = asks ? "asked-back" : "answered";
    this.#asksUser = sentences.slice(-ASKED_LAST).some((sentence) => questions.includes(sentence));
    const explained = asks ? this.#explained : null;
    this.#answer = explained?.answer ?? closingWords(sentences, completion, setback, MAX_ANSWER);
    this.#answeredBy = explained?.by ?? place.messageId;
    this.#isInterim = false;
    this.#isTalk = this.#standing === "answered" && !this.#hasWorked && ASKS_ONLY.test(this.text);
  }

  /** Records that the agent is still working, so that what it said before did not end its turn. */
  work(): void {
    if (this.isSettled) return;
    this.#hasWorked = true;
    this.#isInterim ||= this.#standing === "answered";
    this.#standing = "in-work";
    this.#isInterrupted = false;
  }

  /**
   * Records a user message that asks for nothing new: a thank-you, a yes, a go-ahead. Returns true when the agent
   * continues with the request, false when the message closes it.
   */
  acknowledge({ text, place }: Speech): boolean {
    if (this.#standing === "in-work" || asksToGoOn(text, this.#asksUser)) {
      // A question that the user has answered is not what came of the request.
      if (this.#standing === "asked-back") {
        const isKept = this.#answer !== "" && !isQuestion(this.#answer) && !PROPOSES.test(this.#answer);
        this.#explained = isKept ? { answer: this.#answer, by: this.#answeredBy } : null;
        this.#forgetAnswer();
      }
      this.#standing = "in-work";
      this.#turn = place.turn;
      return true;
    }
    if (!this.isSettled) this.#standing = this.#standing === "failed" ? "lapsed" : "done";
    return false;
  }

  /** Records that it was still the live request in this turn. */
  lastsUntil(turn: number | undefined): void {
    if (!this.isSettled) this.#turn = turn ?? this.#turn;
  }

  /** Records that the user stopped the agent while it worked on the request. */
  interrupt(): void {
    this.#isInterrupted ||= !this.isSettled;
  }

  /** Records that the user asks for something else, for the same again, or for the same in another way. */
  makeWay(reaction: Reaction, next = "", setsRight = false): void {
    const isStopped = this.#isInterrupted && this.#standing === "in-work" && reaction === "moves-on";
    if (this.#isInterim) this.#forgetAnswer();
    if (isStopped && !setsRight && !asksAgain(this.key, requestKey(next))) {
      this.#standing = "lapsed";
      this.#answer = GIVEN_UP;
      return;
    }
    // Completed work stays completed, even if the user then changes their mind.
    if (reaction === "takes-back" && !this.isSettled && this.#standing !== "completed") this.#standing = "cancelled";
    else if (reaction === "undid") {
      this.#goesOn = true;
      this.#forgetAnswer();
    } else if (reaction === "comes-back" || this.#standing === "in-work" || this.#standing === "asked-back") {
      this.#goesOn = true;
      if (this.#standing === "asked-back")
        [this.#answer, this.#isInterim] = [quoteStatements(this.#answer, MAX_ANSWER), true];
    } else if (!this.isSettled && this.#standing !== "failed") this.#standing = "done";
  }

  #forgetAnswer(): void {
    this.#answer = "";
    this.#answeredBy = null;
  }

  /** Takes over the status of the next request if the user came back to this one with it. */
  share(next: Request): void {
    // The answer to a question in between ends no work.
    if (!this.#goesOn || (this.#standing === "in-work" && next.#isTalk && !next.#goesOn)) return;
    this.#standing = next.#standing;
    // What it could not do the first time is not what came of it.
    if (isDone(this.#standing) && setbackIn(sentencesOf(this.#answer), false) !== undefined) {
      this.#answer = next.#answer;
      this.#answeredBy = next.#answeredBy;
    }
    if (!this.isSettled) {
      // The newest of the requests that go on stays the newest of all.
      if (next.#turn !== undefined) this.#turn = Math.max(this.#turn ?? 0, next.#turn - (next.#goesOn ? 0 : 1));
      this.#continuedBy = next.asked;
    }
    if (this.#answer === "") this.#answer = WENT_ON;
    this.#answeredBy ??= next.#answeredBy;
  }

  /** Takes over what came of the next message, which a program sent to keep the agent going. */
  goOnWith(next: Request): void {
    if (this.#standing === "cancelled" || this.#standing === "lapsed") return;
    this.#goesOn = true;
    const wasCompleted = isDone(this.#standing);
    this.#standing = next.#standing;
    this.#turn = next.#turn;
    if (!next.isTold || (wasCompleted && next.#standing === "answered")) return;
    this.#answer = next.#answer;
    this.#answeredBy = next.#answeredBy;
    this.#asksUser = next.#asksUser;
  }

  /** Lapses a request whose outcome can no longer be known, because no earlier fold read the answer. */
  lapse(): void {
    if (this.carried?.status === "asked") this.#standing = "lapsed";
  }

  /** The status at the end of the span, whose last turn is in this state. */
  #status(lastTurn: HarvestContext["lastTurn"]): OpenItem["status"] {
    switch (this.#standing) {
      case "in-work":
      case "asked-back":
        return lastTurn === undefined ? "open" : "asked";
      case "completed":
      case "answered":
        return lastTurn === "running" || lastTurn === "answered" ? "asked" : "done";
      case "failed":
        return "open";
      default:
        return this.#standing;
    }
  }

  /** Returns its work item for a summary. `now` is the span's last turn if it is the live request, else null. */
  item(lastTurn: HarvestContext["lastTurn"], now: number | null): NewItem<"openItems"> {
    const status = this.#status(lastTurn);
    const turn = now ?? this.#turn;
    const said = this.#answeredBy === null ? [] : [this.#answeredBy];
    const isAlone = this.#description === "";
    return {
      description: isAlone ? this.#answer : this.#description,
      context: isAlone ? OF_BEFORE : status === "asked" ? this.#whereItGoesOn(lastTurn) : this.#told,
      priority: status === "open" && now !== null && lastTurn === undefined ? "high" : "medium",
      status,
      kind: "request",
      ...(turn !== undefined && { turn }),
      sources: [...new Set([...this.asked, ...said, ...this.#continuedBy])],
    };
  }

  #whereItGoesOn(lastTurn: HarvestContext["lastTurn"]): string {
    if (this.#isInterrupted && this.#standing === "in-work") return INTERRUPTED;
    const note = lastTurn === "running" ? GOES_ON : BEHIND;
    const isSaid = this.isTold && !this.#isInterim && this.#standing !== "asked-back";
    return isSaid ? `${sentenceExcerpt(this.#answer, MAX_SO_FAR)} (${note})` : note;
  }

  /** What came of it, with the question that a reader needs to understand a short reply. */
  get #told(): string {
    return this.#question === "" || !this.isTold ? this.#answer : `in reply to "${this.#question}": ${this.#answer}`;
  }
}

/** What comes before the outcome of a short reply. */
export const IN_REPLY = /^in reply to "[^"]{1,200}": /;

/** What a summary says that came so far of a request whose outcome comes after it. */
const cameSoFar = (context: string): string =>
  [GOES_ON, BEHIND].flatMap((note) => (context.endsWith(` (${note})`) ? context.slice(0, -note.length - 3) : []))[0] ??
  "";

/** The words of a request, by which it is known again. */
const requestKey = (text: string): string => statementKey(text.slice(0, MAX_REQUEST * 2));

const isDone = (standing: Standing): boolean => standing === "completed" || standing === "done";

/** Checks whether an item of a summary has only the outcome of a request, without the request. */
export const isAnswerAlone = ({ context }: OpenItem): boolean => context === OF_BEFORE;
