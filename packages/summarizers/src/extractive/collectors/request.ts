import { isUnsettled, type MessageId, type NewItem, type OpenItem, ORIGINAL_TASK_ITEM } from "@threadfold/core";
import { statementKey } from "../../text/excerpt.ts";
import { askedExcerpt, closingWords, type Speech, saysDone, setbackIn } from "../reading/speech.ts";
import { asksToGoOn } from "../text/phrases.ts";
import {
  ASKED_LAST,
  asked,
  isAnnouncement,
  isQuestion,
  quoteStatements,
  type Sentence,
  sentencesOf,
} from "../text/sentence.ts";

/**
 * The state of a request: the agent is working on it, ended its turn on it (with the work done, another answer, a
 * question, or a failure), or it is settled.
 */
type Standing = "in-work" | "completed" | "answered" | "asked-back" | "failed" | "done" | "cancelled" | "lapsed";

/**
 * How a user's next request relates to the one before: withdraws it, says that its result was undone, comes back to
 * it, or moves on to something else.
 */
export type Reaction = "takes-back" | "undid" | "comes-back" | "moves-on";

const MAX_REQUEST = 240;
const MAX_ANSWER = 240;
/** Contexts of requests in a summary. Later folds recognize some of them. */
const BEHIND = "its outcome comes after this summary";
const GOES_ON = "work on it continues after this summary";
const OF_BEFORE = "said of the request before it";
export const WENT_ON = "went on with the next request";
const INTERRUPTED = "the user interrupted the work on it";
const GIVEN_UP = `${INTERRUPTED} and ${WENT_ON}`;
/** Words of a proposal, which is no outcome. */
const PROPOSES = /\b(?:would|could|should|i can|we can|i['’]d|propose|suggest|recommend|option|plan)\b/i;
/** The share of words that make a request after an interruption the same one again. */
const SAME_AGAIN = 0.5;

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
  /** The messages of the next request, if the user came back to it with that. */
  #continuedBy: readonly MessageId[] = [];
  /** True when that answer ended with a question to the user, or with a few words on it. */
  #asksUser: boolean;
  /** True when the user came back to it before it was settled, so that it gets the status of the next request. */
  #goesOn = false;
  /** True when the user stopped the agent while it worked on it. */
  #isInterrupted: boolean;
  /** True when the agent made a call for it, and when it did so after an answer, which then was not its last word. */
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
  }) {
    this.text = parts.text;
    this.key = statementKey(parts.text.slice(0, MAX_REQUEST * 2));
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
  }

  /** Creates the request of a user's message. The very first one is the original task. */
  static of({ text, place }: Speech, isOriginalTask: boolean): Request {
    return new Request({
      text,
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
   * Creates a request from a previous summary. `told` is the item with its outcome, if that was recorded separately;
   * `asksUser` says that its outcome so far is a question that the user has not answered, and `next` is the request
   * after it.
   */
  static carriedBy(item: OpenItem, told?: OpenItem, asksUser = false, next?: OpenItem): Request {
    const { description, turn } = item;
    const { status } = told ?? item;
    const answer = told?.description ?? (status === "asked" ? "" : item.context);
    const standing = isUnsettled({ status }) ? standingAfter(answer, asksUser) : (status as Standing);
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

  get #isDone(): boolean {
    return this.#standing === "completed" || this.#standing === "done";
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
    if (setback !== undefined) this.#standing = asks && !OFFERS_MORE.test(last.text) ? "asked-back" : "failed";
    else if (completion !== undefined) this.#standing = "completed";
    else if ((isAnnouncement(last.text) || (this.#hasWorked && LEADS_ON.test(text))) && !carriesOut) return;
    else this.#standing = asks ? "asked-back" : "answered";
    this.#asksUser = sentences.slice(-ASKED_LAST).some((sentence) => questions.includes(sentence));
    const explained = asks ? this.#explained : null;
    this.#answer = explained?.answer ?? closingWords(sentences, setback ?? completion, MAX_ANSWER);
    this.#answeredBy = explained?.by ?? place.messageId;
    this.#isInterim = false;
    this.#isTalk = this.#standing === "answered" && !this.#hasWorked && ASKS_ONLY.test(this.text.trimEnd());
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
    if (!this.isSettled) this.#isInterrupted = true;
  }

  /** Records that the user asks for something else, for the same again, or for the same in another way. */
  makeWay(reaction: Reaction, next = "", setsRight = false): void {
    const isStopped = this.#isInterrupted && this.#standing === "in-work" && reaction === "moves-on";
    if (this.#isInterim) this.#forgetAnswer();
    if (isStopped && !setsRight && !this.#isAskedAgain(next)) {
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
      if (this.#standing === "asked-back") this.#answer = quoteStatements(this.#answer, MAX_ANSWER);
    } else if (!this.isSettled && this.#standing !== "failed") this.#standing = "done";
  }

  #isAskedAgain(text: string): boolean {
    const words = new Set(this.key.split(" "));
    const again = statementKey(text.slice(0, MAX_REQUEST * 2)).split(" ");
    return new Set(again.filter((word) => words.has(word))).size >= SAME_AGAIN * Math.min(words.size, again.length);
  }

  #forgetAnswer(): void {
    this.#answer = "";
    this.#answeredBy = null;
  }

  /** Takes over the status of the next request if the user came back to this one with it. */
  share(next: Request): void {
    if (!this.#goesOn) return;
    // The answer to a question in between ends no work.
    if (this.#standing === "in-work" && next.#isTalk && !next.#goesOn) return;
    this.#standing = next.#standing;
    // What it could not do the first time is not what came of it.
    if (this.#isDone && setbackIn(sentencesOf(this.#answer), false) !== undefined) {
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

  /**
   * Takes over what came of the next message, which asks for nothing of its own: a program sent it to keep the agent
   * going.
   */
  goOnWith(next: Request): void {
    if (this.#standing === "cancelled" || this.#standing === "lapsed") return;
    this.#goesOn = true;
    const wasCompleted = this.#isDone;
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

  /**
   * The status at the end of the span. `lastTurn` is the state of the span's last turn; undefined when nothing follows.
   */
  #status(lastTurn: "running" | "ended" | undefined): OpenItem["status"] {
    switch (this.#standing) {
      case "in-work":
      case "asked-back":
        return lastTurn === undefined ? "open" : "asked";
      case "completed":
      case "answered":
        return lastTurn === "running" ? "asked" : "done";
      case "failed":
        return "open";
      default:
        return this.#standing;
    }
  }

  /** Returns its work item for a summary. `now` is the span's last turn if it is the live request, else null. */
  item(lastTurn: "running" | "ended" | undefined, now: number | null): NewItem<"openItems"> {
    const status = this.#status(lastTurn);
    const turn = now ?? this.#turn;
    const said = this.#answeredBy === null ? [] : [this.#answeredBy];
    const isAlone = this.#description === "";
    return {
      description: isAlone ? this.#answer : this.#description,
      context: isAlone ? OF_BEFORE : status === "asked" ? this.#whereItGoesOn(lastTurn) : this.#answer,
      priority: status === "open" && now !== null && lastTurn === undefined ? "high" : "medium",
      status,
      kind: "request",
      ...(turn !== undefined && { turn }),
      sources: [...new Set([...this.asked, ...said, ...this.#continuedBy])],
    };
  }

  #whereItGoesOn(lastTurn: "running" | "ended" | undefined): string {
    if (this.#isInterrupted && this.#standing === "in-work") return INTERRUPTED;
    return lastTurn === "running" ? GOES_ON : BEHIND;
  }
}

/** Checks whether an item of a summary has only the outcome of a request, without the request. */
export const isAnswerAlone = ({ context }: OpenItem): boolean => context === OF_BEFORE;

/** The standing of an unsettled request of a previous summary with this outcome. */
function standingAfter(answer: string, asksUser: boolean): Standing {
  if (answer === "") return "in-work";
  return asksUser ? "asked-back" : "failed";
}

/** The end of a question, in languages that need no sign for it, too. */
const ASKS_ONLY = /[?？؟吗嗎呢]["'”»)]?$/;
/** An answer that only leads to what comes next, which never came. */
const LEADS_ON = /[:：]\s*$/;
/** A question that offers more work in general, and asks nothing about the work at hand. */
const OFFERS_MORE = /\banything else\b/i;
