import {
  isUnsettled,
  type JsonObject,
  type JsonValue,
  type MessageId,
  type OpenItem,
  refusalReason,
} from "@threadfold/core";
import { excerpt, sentenceExcerpt } from "../../text/excerpt.ts";
import { type CallReading, shortFields } from "../reading/call-reading.ts";
import { valueIn } from "../reading/result-body.ts";
import type { Refusal, ResultReading } from "../reading/result-reading.ts";
import { notableCommand } from "../reading/shell-command.ts";
import type { Place, Speech } from "../reading/speech.ts";
import { asked } from "../text/sentence.ts";
import type { Candidate, Harvest, HarvestContext, SpanCollector, SpanPaths, SpanStart } from "./span-collector.ts";

const MAX_QUESTION = 240;
const MAX_REPLY = 160;
const MAX_QUESTIONS = 2;

/**
 * Finds the agent's questions to the user: at the end of a turn, with the user's replies to those of earlier folds, and
 * those that it asks by a call, with the replies in the results.
 */
export class QuestionCollector implements SpanCollector {
  /** Questions of the previous summary without a reply. */
  readonly #carried: readonly OpenItem[];
  readonly #earlier: readonly OpenItem[];
  /** The first thing said or done in the span, which settles those questions; the text is null for the agent. */
  #reply: { readonly text: string | null; readonly place: Place } | null = null;
  #questions: readonly string[] = [];
  #place: Place | null = null;
  /** True while the questions are those of a call without a result. */
  #isCalled = false;
  /** What calls asked, by question, with the reply; the newest reply counts. */
  readonly #replied = new Map<string, { readonly reply: string; readonly place: Place; readonly asked: Place }>();

  constructor({ previous }: SpanStart) {
    this.#earlier = (previous?.openItems ?? []).filter(({ kind }) => kind === "question");
    this.#carried = this.#earlier.filter(isUnsettled);
  }

  userSpeech({ text, place }: Speech): void {
    this.#reply ??= { text, place };
    this.#questions = [];
  }

  agentSpeech({ sentences, place, closing }: Speech): void {
    this.#reply ??= { text: null, place };
    const questions = closing ? asked(sentences) : [];
    this.#questions = questions.slice(-MAX_QUESTIONS).map(({ text }) => text);
    this.#place = place;
    this.#isCalled = false;
  }

  call({ place, questions }: Pick<CallReading, "place" | "questions">): void {
    this.#reply ??= { text: null, place };
    this.#questions = questions;
    this.#isCalled = questions.length > 0;
    if (this.#isCalled) this.#place = place;
  }

  result(result: ResultReading): void {
    const { call, place } = result;
    if (call === null || call.questions.length === 0) return;
    this.#questions = [];
    const replies = repliesIn(result);
    for (const [index, question] of call.questions.entries()) {
      const reply =
        replies.get(question) ?? (replies.size > 0 ? "" : repliedText(result, index, call.questions.length));
      this.#replied.delete(question);
      this.#replied.set(question, { reply, place, asked: call.place });
    }
  }

  harvest({ lastTurn, messages }: HarvestContext): Harvest {
    const isPending = lastTurn !== "running" || this.#isCalled;
    return {
      candidates: [
        ...this.#answered(),
        ...(isPending ? this.#asked(lastTurn !== undefined) : []),
        ...this.#repliedCalls(messages.length),
      ],
    };
  }

  /** The questions of calls with their replies; those that an earlier fold shows are replaced. */
  #repliedCalls(length: number): readonly Candidate[] {
    return [...this.#replied].map(([question, { reply, place, asked: at }]): Candidate => {
      const item = {
        ...questionItem(question, [at.messageId, place.messageId], place.turn),
        status: reply === "" ? ("lapsed" as const) : ("done" as const),
        context: reply === "" ? "the user did not answer" : `the user replied: ${sentenceExcerpt(reply, MAX_QUESTION)}`,
      };
      const before = this.#earlier.find(({ description }) => description === item.description);
      const worth = 1.5 + (place.position + 1) / length;
      return { section: "openItems", item, worth, ...(before !== undefined && { supersedes: before.id }) };
    });
  }

  #answered(): readonly Candidate[] {
    if (this.#reply === null) return [];
    const { text, place } = this.#reply;
    const asked = new Set([...this.#replied.keys()].map((question) => questionItem(question, [], 0).description));
    const left = this.#carried.filter(({ description }) => !asked.has(description));
    return left.map(({ id, ...item }) => ({
      section: "openItems",
      item: {
        ...item,
        status: text === null ? "lapsed" : "done",
        priority: "medium",
        context:
          text === null ? "the agent went on without a reply" : `the user replied: ${sentenceExcerpt(text, MAX_REPLY)}`,
        turn: place.turn,
        sources: [...new Set([...item.sources, place.messageId])],
      },
      worth: 0.5,
      supersedes: id,
    }));
  }

  /** The questions at the span's end. If anything follows the span, the reply is there. */
  #asked(isReplied: boolean): readonly Candidate[] {
    const place = this.#place;
    if (place === null) return [];
    return this.#questions.map((question) => ({
      section: "openItems",
      item: {
        ...questionItem(question, [place.messageId], place.turn),
        context: isReplied ? "the reply comes after this summary" : "not answered yet",
        priority: isReplied ? "medium" : "high",
        status: isReplied ? "asked" : "open",
      },
      worth: 3,
    }));
  }
}

const questionItem = (question: string, sources: readonly MessageId[], turn: number) => ({
  description: `Question to the user: ${excerpt(question, MAX_QUESTION)}`,
  priority: "medium" as const,
  kind: "question" as const,
  turn,
  sources,
});

/** How harnesses list the questions of a call with their answers. */
const ANSWERED = /^\s*User has answered your questions: /;
const ANSWERED_PAIR = /"([^"\n]{1,400})"="([^"\n]{1,400})"/g;
const LONGEST_ANSWERS = 6_000;

/** The replies by question, where a result lists them so; empty for any other result. */
function repliesIn({ text, failed }: ResultReading): ReadonlyMap<string, string> {
  if (failed || !ANSWERED.test(text)) return new Map();
  const pairs = text.slice(0, LONGEST_ANSWERS).matchAll(ANSWERED_PAIR);
  return new Map([...pairs].map(([, question = "", answer = ""]) => [question, answer]));
}

/** What harnesses write around a reply. */
const AROUND_REPLY =
  /^\s*(?:(?:the )?user(?:['’]s)? (?:response|answer|reply|input|answered|responded|replied|said)\s*:\s*|<(?:answer|feedback|response|user_message)>\s*)|\s*<\/(?:answer|feedback|response|user_message)>\s*$/gi;
/** What they write in the place of a reply. */
const NO_REPLY =
  /^\s*(?:\(?no (?:response|answer|reply|input)\b|(?:the )?(?:user|human) (?:declined|dismissed|cancell?ed|skipped|did not|didn['’]t|submitted without|has not)|(?:user )?(?:input )?(?:timed? ?out|cancell?ed)|unanswered\b)/i;

/** The user's words in the result of one of a call's questions; empty if there are none. */
function repliedText({ text, failed, envelope: { content } }: ResultReading, index: number, count: number): string {
  const said = wordsIn(valueIn(content, text));
  const reply = said.length === 0 ? text : said.length === count ? (said[index] as string) : said.join("; ");
  return failed || NO_REPLY.test(reply) ? "" : reply.replace(AROUND_REPLY, "").trim();
}

/** The texts in the fields of a result, without those that only say how it went. */
function wordsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return value.trim() === "" ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (SAYS_HOW.test(name) ? [] : wordsIn(inner)));
}

const SAYS_HOW = /^(?:status|success|ok|type|kind|id|action|question|questions|header|cancelled|timestamp)$/i;

const MAX_COMMAND = 110;
const MAX_REASON = 200;
/** Ranks refusals above key fields that a tool declared, because a user took the trouble to say no. */
const REFUSED_WORTH = 4;

/** Checks whether a call is the same as another one: of the same tool, with the same arguments in any order. */
const isSameCall = (one: CallReading, other: CallReading): boolean =>
  one.toolName === other.toolName &&
  (one.script === null ? argumentsOf(one) === argumentsOf(other) : one.script === other.script);

const argumentsOf = ({ input }: CallReading): string =>
  JSON.stringify(typeof input === "object" && input !== null ? Object.entries(input).sort(byName) : input);

/** Orders entries by name alone: their values are a model's JSON, which need not be convertible to text. */
const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/** Checks whether a result says that a call failed which is made again. */
export const failedBefore = ({ call, failed }: ResultReading, again: CallReading): boolean =>
  failed && call !== null && isSameCall(call, again);

/** Finds the refused calls that did not run later, with the reason. They are listed as tool outcomes, because a result reports them. */
export class RefusalCollector implements SpanCollector {
  readonly #paths: SpanPaths;
  #refusals: readonly Refusal[] = [];

  constructor(paths: SpanPaths) {
    this.#paths = paths;
  }

  refusal(refusal: Refusal): void {
    this.#refusals = [...this.#refusals, refusal];
  }

  result({ call }: ResultReading): void {
    if (call !== null) this.#refusals = this.#refusals.filter((refusal) => !isSameCall(refusal.call, call));
  }

  harvest({ messages }: HarvestContext): Harvest {
    return {
      candidates: this.#refusals.map(({ call, envelope, reason, place }) => ({
        section: "toolOutcomes",
        item: {
          toolName: call.toolName,
          outcome: "failure",
          keyFields: envelope.keyFields ?? this.#fieldsOf(call),
          errorMessage: reason === "" ? "refused" : `refused: ${this.#paths.line(reason, MAX_REASON)}`,
          sources: [place.messageId],
        },
        worth: REFUSED_WORTH + (place.position + 1) / messages.length,
      })),
    };
  }

  #fieldsOf({ command, files, input }: CallReading): JsonObject {
    if (command !== null) {
      // All of it was refused, and maybe not for what stands out in it.
      const isShort = command.length <= MAX_COMMAND && /&&|[;|]/.test(command);
      const told = isShort ? command : (notableCommand(command) ?? command);
      return { command: this.#paths.line(told.replaceAll("`", "'"), MAX_COMMAND) };
    }
    const file = files[0]?.path;
    return file === undefined ? shortFields(input) : { file: this.#paths.line(file, MAX_COMMAND) };
  }
}

/** Returns the refusal that a result reports; null for any other result. */
export function refusalOf({ call, text, envelope, place }: ResultReading): Refusal | null {
  const reason = call === null ? null : refusalReason(text, envelope.outcome === "failure");
  return call === null || reason === null ? null : { call, envelope, place, reason };
}
