import type { MessageId, OpenItem, SummaryChange } from "@threadfold/core";
import type { Place } from "../reading/place.ts";
import type { Speech } from "../reading/speech.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, HarvestContext, SpanCollector } from "../span-collector.ts";
import { isAcknowledgement } from "../text/acknowledgement.ts";
import { excerpt, statementKey } from "../text/excerpt.ts";
import { CANCELLATION, COMPLETION, SETBACK } from "../text/phrases.ts";
import { type Sentence, sentencesOf } from "../text/sentence.ts";
import { originalTaskText } from "./original-task.ts";

/** What a user asked for in one message, and what became of it. */
interface Request {
  readonly text: string;
  readonly key: string;
  readonly place: Place;
  status: OpenItem["status"];
  /** What the agent said of it when it ended its turn. */
  answer: string;
  answeredBy: MessageId | null;
  /** The agent ended its turn on something that did not work. */
  setback: boolean;
  /** The user came back to it before it was done: it is done when the next request is. */
  goesOn: boolean;
}

const MAX_REQUEST = 240;
const MIN_ANSWER = 25;
const MAX_ANSWER = 160;
const MAX_CURRENT = 200;
/** What was asked in so few characters and done without a word is not worth a line. */
const MIN_DONE = 30;
/** A message that comes so often word for word is sent by a program. */
const NUDGES = 3;
/** What a user says about the last answer stands at the beginning. */
const REACTION = 400;

/**
 * Finds what users asked for. The first request of the first fold is the original task, word for word. Later ones are
 * work items: done only when the agent said so at the end of its turn, or when it ended its turn on no setback and the
 * user went on to something else; cancelled only when the user took them back. A request that the user came back to
 * shares the fate of the next one. So nothing that was done looks like work to do (L28).
 */
export class RequestCollector implements SpanCollector {
  readonly #requests: Request[] = [];
  readonly #times = new Map<string, number>();
  #lastSaid: Speech | null = null;

  userSpeech({ text, place, sentences }: Speech): void {
    const before = this.#requests.at(-1);
    if (before?.place.messageId === place.messageId) return;
    if (before !== undefined) react(before, text, sentences);
    if (isAcknowledgement(text)) return;
    const key = statementKey(text.slice(0, MAX_REQUEST * 2));
    this.#times.set(key, (this.#times.get(key) ?? 0) + 1);
    this.#requests.push({
      text,
      key,
      place,
      status: "open",
      answer: "",
      answeredBy: null,
      setback: false,
      goesOn: false,
    });
  }

  agentSpeech(speech: Speech): void {
    if (speech.text.trim() !== "") this.#lastSaid = speech;
    const request = this.#requests.at(-1);
    if (speech.closing && request !== undefined) answer(request, speech);
  }

  harvest(context: HarvestContext): Harvest {
    const requests = this.#settled();
    const first = context.previous?.originalTask == null ? requests[0] : undefined;
    const later = first === undefined ? requests : requests.slice(1);
    const changes: SummaryChange[] = [];
    if (first !== undefined) {
      changes.push({
        op: "set-original-task",
        task: { text: originalTaskText(first.text, context), sources: [first.place.messageId] },
      });
    }
    const current = this.#currentTask(later.at(-1));
    if (current !== null) changes.push({ op: "set-current-task", task: current });
    const telling = later.filter(
      (request) => request.status !== "done" || request.answer !== "" || request.key.length >= MIN_DONE,
    );
    return { changes, candidates: telling.map((request, index) => itemOf(request, index, telling.length)) };
  }

  /** The requests that people made, each with its last status. */
  #settled(): readonly Request[] {
    for (let index = this.#requests.length - 2; index >= 0; index--) {
      const request = this.#requests[index] as Request;
      const next = this.#requests[index + 1] as Request;
      if (request.status === "open" && request.goesOn) request.status = next.status;
    }
    return this.#requests.filter(({ key }, index) => index === 0 || (this.#times.get(key) ?? 0) < NUDGES);
  }

  #currentTask(request: Request | undefined): string | null {
    const asked =
      request === undefined || request.status !== "open" ? "" : excerpt(taskLine(request.text), MAX_CURRENT);
    const sentences = this.#lastSaid?.sentences ?? [];
    const said = excerpt((sentences.findLast(isStatement) ?? sentences.at(-1))?.text ?? "", MAX_ANSWER);
    if (asked === "" && said === "") return null;
    if (said === "") return asked;
    return `${asked === "" ? "" : `${asked} — `}the agent last said: ${said}`;
  }
}

const isStatement = ({ text }: Sentence): boolean => text.length >= MIN_ANSWER && !/[:：?？]$/.test(text);

/** What a user's next message says about the request before it. */
function react(request: Request, text: string, sentences: readonly Sentence[]): void {
  const opening = sentences.filter((sentence) => text.indexOf(sentence.text) < REACTION);
  const marks = opening.reduce((all, sentence) => all | sentence.marks, 0);
  if (marks & CANCELLATION) request.status = "cancelled";
  else if (marks & SETBACK || request.answeredBy === null) {
    request.status = "open";
    request.goesOn = true;
  } else if (!request.setback) request.status = "done";
}

function answer(request: Request, { sentences, place }: Speech): void {
  const setback = sentences.some(({ marks }) => marks & SETBACK);
  const ending = sentences.find((sentence) => sentence.marks & COMPLETION && !(sentence.marks & SETBACK));
  if (ending !== undefined && !setback) request.status = "done";
  request.setback = setback;
  const telling = [ending, ...sentences].find((sentence) => sentence !== undefined && isStatement(sentence));
  request.answer = excerpt(telling?.text ?? "", MAX_ANSWER);
  request.answeredBy = place.messageId;
}

function itemOf(request: Request, index: number, length: number): Candidate {
  const newest = index === length - 1;
  const { status, answer: said, answeredBy, place } = request;
  return {
    section: "openItems",
    item: {
      description: excerpt(request.text, MAX_REQUEST),
      // The summary's part of the thread may end before the answer; what follows shows whether it came.
      context: newest && status === "open" && said === "" ? "in progress at that point" : said,
      priority: status === "open" && newest ? "high" : "medium",
      status,
      sources: [place.messageId, ...(answeredBy === null ? [] : [answeredBy])],
    },
    worth: (status === "open" ? 2 : 1) + (index + 1) / length,
  };
}

/** The line of a request that a person would call its subject: the first one that is a sentence and not a heading or tag. */
function taskLine(text: string): string {
  const sentence = sentencesOf(text, 4_000, 0).find(
    ({ text: line }) => line.length > 20 && !/^[<[#/]/.test(line) && !line.endsWith(":"),
  );
  return sentence?.text ?? text.slice(0, 400);
}
