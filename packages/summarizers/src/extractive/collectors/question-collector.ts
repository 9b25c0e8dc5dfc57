import { isUnsettled, type JsonObject, type OpenItem } from "@threadfold/core";
import { excerpt, sentenceExcerpt } from "../../text/excerpt.ts";
import { type CallReading, shortFields } from "../reading/call-reading.ts";
import { jsonField, type Refusal, type ResultReading } from "../reading/result-reading.ts";
import { notableCommand } from "../reading/shell-command.ts";
import type { Place, Speech } from "../reading/speech.ts";
import { asked } from "../text/sentence.ts";
import type { SpanPaths } from "./file-collector.ts";
import type { Candidate, Harvest, HarvestContext, SpanCollector, SpanStart } from "./span-collector.ts";

const MAX_QUESTION = 240;
const MAX_REPLY = 160;
const MAX_QUESTIONS = 2;

/**
 * Finds the agent's questions to the user at the end of a turn, and the user's replies to questions of earlier folds.
 */
export class QuestionCollector implements SpanCollector {
  /** Questions of the previous summary without a reply. */
  readonly #carried: readonly OpenItem[];
  /** The first thing said or done in the span, which settles those questions; the text is null for the agent. */
  #reply: { readonly text: string | null; readonly place: Place } | null = null;
  #questions: readonly string[] = [];
  #place: Place | null = null;

  constructor({ previous }: SpanStart) {
    this.#carried = (previous?.openItems ?? []).filter((item) => item.kind === "question" && isUnsettled(item));
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
  }

  call({ place }: { readonly place: Place }): void {
    this.#reply ??= { text: null, place };
    this.#questions = [];
  }

  harvest({ lastTurn }: HarvestContext): Harvest {
    return { candidates: [...this.#answered(), ...(lastTurn === "running" ? [] : this.#asked(lastTurn === "ended"))] };
  }

  #answered(): readonly Candidate[] {
    if (this.#reply === null) return [];
    const { text, place } = this.#reply;
    return this.#carried.map(({ id, ...item }) => ({
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
        description: `Question to the user: ${excerpt(question, MAX_QUESTION)}`,
        context: isReplied ? "the reply comes after this summary" : "not answered yet",
        priority: isReplied ? "medium" : "high",
        status: isReplied ? "asked" : "open",
        kind: "question",
        turn: place.turn,
        sources: [place.messageId],
      },
      worth: 3,
    }));
  }
}

const MAX_COMMAND = 110;
const MAX_REASON = 200;
/** Ranks refusals above key fields that a tool declared, because a user took the trouble to say no. */
const REFUSED_WORTH = 4;

const isSameCall = (one: CallReading, other: CallReading): boolean =>
  one.toolName === other.toolName &&
  (one.script === null ? JSON.stringify(one.input) === JSON.stringify(other.input) : one.script === other.script);

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

/** Matches what harnesses return for a call that the user refused. */
const REFUSED =
  /^\s*(?:(?:the )?user (?:doesn['’]t want to (?:proceed with this tool use|take this action)|(?:denied|rejected|declined) (?:this |the |permission ))|(?:[\w-]+ ){0,3}rejected by (?:the )?user\b|\[operation cancelled\] reason: user|tool (?:call |execution )?(?:was )?(?:denied|not approved)|the user has declined to run this tool\b|action rejected:|\{"status":"denied")/i;
/** Matches a refusal that is the whole result, for harnesses that report a refused call as successful. */
const ONLY_REFUSED =
  /^\s*(?:(?:[\w-]+ ){0,3}rejected by (?:the )?user|tool execution was not approved|the user denied this operation(?: and provided the following feedback:\s*<feedback>[^<]*<\/feedback>)?|the user has declined to run this tool\.\s+DO NOT [^{}<>]{0,300}|\{"status":"denied"[^{}]*\})[.\s]*$/i;
/** The text before the reason, and the text after it. */
const REASON = /(?:\bthe user said|\bfeedback|^\s*action rejected):\s*(?:<feedback>)?/i;
const BEHIND_REASON = /<\/feedback>|\n\s*\nNote: /;
/** What harnesses write in the place of a reason. */
const NO_REASON = /^User rejected the action$/;
/** The most of a result that is read for a refusal and its reason, in UTF-16 code units. */
const REFUSAL_READ = 2_000;

/**
 * Returns the refusal that a result reports; null for any other result. A text that only looks like a refusal may be
 * the content of a file, so for a call that did not fail, the refusal must be the whole result.
 */
export function refusalOf({ call, text, envelope, place }: ResultReading): Refusal | null {
  const read = text.slice(0, REFUSAL_READ);
  const isRefused =
    envelope.outcome === "failure" ? REFUSED.test(read) : text.length <= REFUSAL_READ && ONLY_REFUSED.test(read);
  if (call === null || !isRefused) return null;
  return { call, envelope, place, reason: reasonIn(read).replace(NO_REASON, "") };
}

function reasonIn(text: string): string {
  const feedback = jsonField(text, "feedback");
  const before = feedback === null ? REASON.exec(text) : null;
  const said = before === null ? "" : (text.slice(before.index + before[0].length).split(BEHIND_REASON)[0] as string);
  return (feedback ?? said).trim();
}
