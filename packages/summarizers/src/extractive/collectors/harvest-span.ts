import {
  asToolCallId,
  type JsonValue,
  type Message,
  type Steps,
  type SummarizeRequest,
  type ToolCallPart,
  type ToolResultPart,
} from "@threadfold/core";
import {
  type CallReading,
  observationIn,
  readCall,
  readSpokenCommand,
  type SpokenForm,
  spokenForm,
  withoutCommandTags,
} from "../reading/call-reading.ts";
import { type ResultReading, readResult, refusalOf } from "../reading/result-reading.ts";
import { type Place, Speech, typedText } from "../reading/speech.ts";
import { SpanWords } from "../text/words.ts";
import { FileCollector, SpanPaths } from "./file-collector.ts";
import { IdentifierCollector } from "./identifier-collector.ts";
import { OutcomeCollector, RunCollector } from "./outcome-collectors.ts";
import { QuestionCollector, RefusalCollector } from "./question-collector.ts";
import { CommitCollector, HandoffCollector, ReportCollector } from "./report-collectors.ts";
import { RequestCollector } from "./request-collector.ts";
import type { Harvest, HarvestContext, SpanCollector, SpanStart } from "./span-collector.ts";
import { AskedForCollector, ConstraintCollector, DecisionCollector, FactCollector } from "./statement-collectors.ts";
import { TaskCollector } from "./task-collector.ts";
import { TodoCollector } from "./todo-collector.ts";

/** Returns what code finds in the span of a request, one harvest per collector. */
export function* harvestSpan(request: SummarizeRequest): Steps<readonly Harvest[]> {
  const { messages, previous, lastTurn, pins, maxTokens, countTokens } = request;
  const context: HarvestContext = { messages, previous, lastTurn, pins, maxTokens, countTokens };
  const collectors = spanCollectors(request);
  yield* readSpan(messages, collectors);
  const harvests: Harvest[] = [];
  for (const collector of collectors) {
    yield;
    if (collector.prepare !== undefined) yield* collector.prepare(context);
    harvests.push(collector.harvest(context));
  }
  return harvests;
}

/** New collectors for one span, one for each kind of thing that a summary contains. */
function spanCollectors(start: SpanStart): readonly SpanCollector[] {
  const words = new SpanWords(start.messages);
  const paths = new SpanPaths((start.previous?.files ?? []).map(({ path }) => path));
  return [
    new ConstraintCollector(),
    new RequestCollector(start),
    new QuestionCollector(start),
    new TodoCollector(),
    new TaskCollector(start),
    new FileCollector(words, paths),
    new RefusalCollector(paths),
    new RunCollector(paths),
    new OutcomeCollector(),
    new DecisionCollector(),
    new FactCollector(),
    new HandoffCollector(),
    new CommitCollector(),
    new ReportCollector(words),
    new AskedForCollector(start.instructions),
    new IdentifierCollector(paths),
  ];
}

/**
 * Size of a step, in UTF-16 code units. Short pieces are read together up to this size, because a step costs more than
 * they do. A longer piece takes one step per collector.
 */
const SHORT = 2_000;

/**
 * Shows a span to the collectors, piece by piece and in order. Side branches are left out, as they are in no prompt.
 */
function* readSpan(messages: readonly Message[], collectors: readonly SpanCollector[]): Steps<void> {
  const reader = new SpanReader(messages);
  let length = 0;
  for (const [position, message] of messages.entries())
    for (const piece of reader.piecesOf(message, position)) {
      length += piece.length;
      if (length > SHORT) yield;
      for (const collector of collectors) {
        if (piece.length > SHORT) yield;
        piece.show(collector);
      }
      if (length > SHORT) length = 0;
    }
}

/** A piece of a message as shown to collectors. */
interface Piece {
  /** Its approximate length, in UTF-16 code units. */
  readonly length: number;
  readonly show: (collector: SpanCollector) => void;
}

const NO_PIECES: readonly Piece[] = [];

/** Text that a harness puts into an assistant message when nothing was asked, or the model gave no answer. */
const SAYS_NOTHING =
  /^(?:No response requested\.?|\(no content\)|API Error: \d{3}\b.*|Claude (?:AI )?usage limit reached.*|Prompt is too long|Request timed out\.?)$/i;

/** Work on something else, which a harness shows as an example. */
const DEMONSTRATION = /^--- DEMONSTRATION ---$/m;

/** The length that a value other than a text counts as, in UTF-16 code units. */
const LENGTH_OF_VALUE = 8;

/** The approximate length of an input, which is mostly that of its texts. */
function lengthOf(value: JsonValue | undefined): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return LENGTH_OF_VALUE;
  return Object.values(value).reduce((sum: number, item) => sum + lengthOf(item), LENGTH_OF_VALUE);
}

/** Reads the messages of a span in order. */
class SpanReader {
  /** Calls by call id. A reused id refers to its newest call. */
  readonly #calls = new Map<string, CallReading>();
  /** A command that the agent gave as text, until its output arrives as a user message. */
  #spoken: CallReading | null = null;
  readonly #form: SpokenForm | null;

  constructor(messages: readonly Message[]) {
    this.#form = spokenForm(messages);
  }

  piecesOf(message: Message, position: number): readonly Piece[] {
    if (message.branch !== undefined) return NO_PIECES;
    const place: Place = { messageId: message.id, position, turn: message.turn };
    const closing = message.role === "assistant" && !message.parts.some((part) => part.type === "tool-call");
    return message.parts.flatMap((part) => {
      switch (part.type) {
        case "text":
          return this.#textPieces(part.text, message, place, closing);
        case "reasoning":
          return { length: part.text.length, show: (collector) => collector.otherText?.(part.text, place) };
        case "tool-call":
          return this.#callPiece(part, place);
        case "tool-result":
          return this.#resultPiece(part, place);
        default:
          return NO_PIECES;
      }
    });
  }

  #textPieces(text: string, message: Message, place: Place, closing: boolean): Piece | readonly Piece[] {
    const { length } = text;
    if (message.origin === "compaction") return handoffPiece(text, place);
    if (message.role === "assistant") return this.#saidPieces(text, place, closing);
    const observation = this.#form === null ? null : observationIn(text, message);
    if (observation !== null) return this.#observationPiece(observation, place);
    if (message.origin === "harness" && DEMONSTRATION.test(text)) return NO_PIECES;
    if (message.role === "system" && message.origin === undefined) {
      const speech = new Speech(text, place, "system");
      return { length, show: (collector) => collector.systemSpeech?.(speech) };
    }
    const typed = message.origin === undefined ? typedText(text) : "";
    if (typed === "") return { length, show: (collector) => collector.otherText?.(text, place) };
    const speech = new Speech(typed, place, "user");
    return { length, show: (collector) => collector.userSpeech?.(speech) };
  }

  #saidPieces(text: string, place: Place, closing: boolean): Piece | readonly Piece[] {
    if (SAYS_NOTHING.test(text.trim())) return NO_PIECES;
    const { length } = text;
    const spoken = closing && this.#form !== null ? readSpokenCommand(text, this.#form, place) : null;
    this.#spoken = spoken;
    const speech = new Speech(
      this.#form === null ? text : withoutCommandTags(text),
      place,
      "agent",
      closing && spoken === null,
    );
    const said: Piece = { length, show: (collector) => collector.agentSpeech?.(speech) };
    return spoken === null ? said : [said, { length, show: (collector) => collector.call?.(spoken) }];
  }

  #callPiece(part: ToolCallPart, place: Place): Piece {
    const call = readCall(part, place);
    this.#calls.set(part.callId, call);
    return { length: lengthOf(part.input), show: (collector) => collector.call?.(call) };
  }

  #observationPiece(text: string, place: Place): Piece {
    const reading = readResult(
      {
        toolName: this.#spoken?.toolName ?? "shell",
        callId: asToolCallId("spoken"),
        outcome: "success",
        content: { type: "text", text },
      },
      this.#spoken,
      place,
    );
    this.#spoken = null;
    return { length: text.length, show: showingResult(reading) };
  }

  #resultPiece({ result }: ToolResultPart, place: Place): Piece {
    const reading = readResult(result, this.#calls.get(result.callId) ?? null, place);
    // The result of a sub-agent is its report.
    const isReport = reading.call?.kind === "agent" && !reading.failed;
    const show = showingResult(reading);
    return {
      length: reading.text.length,
      show: (collector) => {
        show(collector);
        if (isReport) collector.handoff?.(reading.text, place, "sub-agent");
      },
    };
  }
}

function showingResult(reading: ResultReading): Piece["show"] {
  const refusal = refusalOf(reading);
  return refusal === null ? (collector) => collector.result?.(reading) : (collector) => collector.refusal?.(refusal);
}

const handoffPiece = (text: string, place: Place): Piece => ({
  length: text.length,
  show: (collector) => {
    collector.handoff?.(text, place, "handoff");
    collector.otherText?.(text, place);
  },
});
