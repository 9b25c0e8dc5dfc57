import { isUnsettled, type MessageId, type NewItem, type OpenItem, ORIGINAL_TASK_ITEM } from "@threadfold/core";
import { sentenceExcerpt, statementKey } from "../../text/excerpt.ts";
import type { Speech } from "../reading/speech.ts";
import { asksToGoOn, CANCELLATION, COMPLAINT, COMPLETION, REVERSAL, SETBACK } from "../text/phrases.ts";
import { isAnnouncement, isQuestion, isRemark, partRead, quoteSentences, type Sentence } from "../text/sentence.ts";

/**
 * Where a request stands: the agent is at work on it, ended its turn on it (with its work done, with something else to
 * say, with a question, or on something that did not work), or it is settled.
 */
type Standing = "in-work" | "completed" | "answered" | "asked-back" | "failed" | "done" | "cancelled" | "lapsed";

/** What a user's next request does with the one before: takes it back, comes back to it, or goes on to something else. */
type Reaction = "takes-back" | "comes-back" | "moves-on";

const MAX_REQUEST = 240;
const MIN_STATEMENT = 25;
const MAX_ANSWER = 240;
/** What a user says about the last answer stands at the beginning. In UTF-16 code units. */
const REACTION = 400;
/** The first request of all stands in the summary word for word; here it is only named. */
const BEHIND = "what came of it stands after this summary";
const GOES_ON = "the work on it goes on after this summary";
const OF_BEFORE = "said of the request before it";
export const WENT_ON = "went on with the next request";
const INTERRUPTED = "the user interrupted the work on it";
const GIVEN_UP = `${INTERRUPTED} and asked for something else`;
/** What a user asks for after an interruption is the same again when it shares this many of its words. */
const SAME_AGAIN = 0.5;

/** What a user asked for in one message, or in an earlier fold, and what became of it. */
export class Request {
  readonly text: string;
  readonly key: string;
  /** The first request of the thread. */
  readonly isOriginalTask: boolean;
  /** The item of the summary before that this one goes on from. */
  readonly carried: OpenItem | null;
  readonly #description: string;
  /** The messages that ask for it. */
  readonly asked: readonly MessageId[];
  #turn: number | undefined;
  #standing: Standing;
  /** What the agent said of it when it ended its turn, and where. */
  #answer: string;
  #answeredBy: MessageId | null = null;
  /** The user came back to it before it was settled: it shares the fate of the next request. */
  #goesOn = false;
  /** The user stopped the agent during it. */
  #isInterrupted: boolean;

  private constructor(parts: {
    readonly text: string;
    readonly isOriginalTask: boolean;
    readonly description: string;
    readonly asked: readonly MessageId[];
    readonly turn: number | undefined;
    readonly standing: Standing;
    readonly answer: string;
    readonly carried: OpenItem | null;
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
    this.#isInterrupted = parts.carried?.context === INTERRUPTED;
  }

  /** What a user asks for now. The first request of all is the original task. */
  static of({ text, place }: Speech, isOriginalTask: boolean): Request {
    return new Request({
      text,
      description: isOriginalTask ? ORIGINAL_TASK_ITEM : sentenceExcerpt(text, MAX_REQUEST),
      isOriginalTask,
      asked: [place.messageId],
      turn: place.turn,
      standing: "in-work",
      answer: "",
      carried: null,
    });
  }

  /** What the agent is at work on where a span begins that holds no request: it stands before the span, whole or in another summary. */
  static ofTurn(turn: number): Request {
    const parts = { text: "", description: "", isOriginalTask: false, asked: [], carried: null } as const;
    return new Request({ ...parts, turn, standing: "in-work", answer: "" });
  }

  /** A request of the summary before. `told` says what came of it where a summary had the answer and not the request. */
  static carriedBy(item: OpenItem, told?: OpenItem): Request {
    const { description, turn } = item;
    const { status } = told ?? item;
    const answer = told?.description ?? (status === "asked" ? "" : item.context);
    const standing = isUnsettled({ status }) ? (answer === "" ? "in-work" : "failed") : (status as Standing);
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
    });
  }

  get isSettled(): boolean {
    return this.#standing === "done" || this.#standing === "cancelled" || this.#standing === "lapsed";
  }

  /** True when the agent has said something worth a line of it. */
  get isTold(): boolean {
    return this.#answer !== "" && this.#answer !== WENT_ON;
  }

  /** The agent said something and made no call with it. */
  answer({ sentences, place }: Speech): void {
    if (this.isSettled || sentences.length === 0) return;
    const completion = sentences.find(({ text, marks }) => marks & COMPLETION && !(marks & SETBACK) && text[0] !== "|");
    const setback = sentences.find(({ marks }) => marks & SETBACK && !(marks & COMPLETION));
    if (setback !== undefined) this.#standing = "failed";
    else if (completion !== undefined) this.#standing = "completed";
    else if (isAnnouncement((sentences.at(-1) as Sentence).text)) return;
    else this.#standing = isQuestion((sentences.at(-1) as Sentence).text) ? "asked-back" : "answered";
    this.#answer = closingWords(sentences, setback ?? completion);
    this.#answeredBy = place.messageId;
  }

  /** The agent is at work. What it said before did not end its turn. */
  work(): void {
    if (this.isSettled) return;
    this.#standing = "in-work";
    this.#isInterrupted = false;
  }

  /**
   * The user says something that asks for nothing: a thank-you, a yes, a go-ahead. True when the agent is at work on the
   * request after it, false when that closes it.
   */
  acknowledge({ text, place }: Speech): boolean {
    if (this.#standing === "in-work" || asksToGoOn(text, isQuestion(this.#answer))) {
      this.#standing = "in-work";
      this.#turn = place.turn;
      return true;
    }
    if (!this.isSettled) this.#standing = this.#standing === "failed" ? "lapsed" : "done";
    return false;
  }

  /** The user stopped the agent in the middle of it. */
  interrupt(): void {
    if (!this.isSettled) this.#isInterrupted = true;
  }

  /** The user asks for something else, or for the same again. */
  makeWay(reaction: Reaction, next: string): void {
    if (this.#isInterrupted && this.#standing === "in-work" && reaction === "moves-on" && !this.#isAskedAgain(next)) {
      this.#standing = "lapsed";
      this.#answer = GIVEN_UP;
      return;
    }
    // What was done is done, even when the user then thinks of something else.
    if (reaction === "takes-back" && !this.isSettled && this.#standing !== "completed") this.#standing = "cancelled";
    else if (reaction === "comes-back" || this.#standing === "in-work" || this.#standing === "asked-back")
      this.#goesOn = true;
    else if (!this.isSettled && this.#standing !== "failed") this.#standing = "done";
  }

  #isAskedAgain(text: string): boolean {
    const words = new Set(this.key.split(" "));
    const again = statementKey(text.slice(0, MAX_REQUEST * 2)).split(" ");
    return new Set(again.filter((word) => words.has(word))).size >= SAME_AGAIN * Math.min(words.size, again.length);
  }

  /** Takes the fate of the request that the user came back to it with. */
  share(next: Request): void {
    if (!this.#goesOn) return;
    this.#standing = next.#standing;
    if (this.#answer === "") this.#answer = WENT_ON;
    this.#answeredBy ??= next.#answeredBy;
  }

  /** Nobody can say any more what came of it: the fold that held the answer did not read it. */
  lapse(): void {
    if (this.carried?.status === "asked") this.#standing = "lapsed";
  }

  /**
   * The status at the end of the span. `lastTurn` is the state of the span's last turn; absent when nothing follows.
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

  /** The work item that a summary has of it. `now` is the turn in which the span ends, when it is what the turn is about. */
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
      sources: [...new Set([...this.asked, ...said])],
    };
  }

  #whereItGoesOn(lastTurn: "running" | "ended" | undefined): string {
    if (this.#isInterrupted && this.#standing === "in-work") return INTERRUPTED;
    return lastTurn === "running" ? GOES_ON : BEHIND;
  }
}

/** True for the item of a summary that has what came of a request and not the request. */
export const isAnswerAlone = ({ context }: OpenItem): boolean => context === OF_BEFORE;

/** What a user's message says about the request before it. */
export function reactionOf({ text, sentences }: Speech): Reaction {
  // A sentence may stand in another form in the text; all of a long one must not be searched for it.
  const read = partRead(text);
  const marks = sentences
    .filter((sentence) => read.indexOf(sentence.text) < REACTION)
    .reduce((all, sentence) => all | sentence.marks, 0);
  if (marks & (CANCELLATION | REVERSAL)) return "takes-back";
  return marks & (SETBACK | COMPLAINT) ? "comes-back" : "moves-on";
}

/** The sentences that say how it ended, whole: the one that says so, and what stands after it. */
function closingWords(sentences: readonly Sentence[], telling: Sentence | undefined): string {
  const told = sentences.filter((sentence) => sentence === telling || !(isFrame(sentence) || isRemark(sentence)));
  const said = told.length > 0 ? told : sentences;
  const first = telling ?? said.find(isStatement) ?? said.find(({ text }) => !isQuestion(text)) ?? said[0];
  return first === undefined ? "" : quoteSentences(said.slice(said.indexOf(first)), MAX_ANSWER);
}

/** A heading, a row of a table, or a line that leads to what is not quoted. */
const isFrame = ({ text }: Sentence): boolean =>
  text.startsWith("|") || /[:：]$/.test(text) || (text.length < MIN_STATEMENT && !/[.!?。！？`)]$/.test(text));

/** A sentence that says something by itself. */
export const isStatement = ({ text }: Sentence): boolean =>
  text.length >= MIN_STATEMENT && !isQuestion(text) && !/[:：]$/.test(text);
