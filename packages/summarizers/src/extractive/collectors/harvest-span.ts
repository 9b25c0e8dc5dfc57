import {
  asToolCallId,
  type JsonValue,
  type Message,
  type Steps,
  type SummarizeRequest,
  type ToolCallPart,
  type ToolResultPart,
} from "@threadfold/core";
import { type CallReading, isObservation, readCall, readSpokenCommand } from "../reading/call-reading.ts";
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

/** What code finds in the span of a request, one harvest a collector. */
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

/** Fresh collectors for one span, one per kind of thing that a summary holds. */
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
 * Short pieces are read together until they are this long: a step costs more than they do. Of a longer piece a step is what
 * one collector reads. In UTF-16 code units.
 */
const SHORT = 2_000;

/** Shows a span to collectors, piece by piece and in order. Side branches are not shown: no prompt holds them. */
function* readSpan(messages: readonly Message[], collectors: readonly SpanCollector[]): Steps<void> {
  const reader = new SpanReader();
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

/** A piece of a message, as collectors are shown it. */
interface Piece {
  /** About how long it is to read, in UTF-16 code units. */
  readonly length: number;
  readonly show: (collector: SpanCollector) => void;
}

const NO_PIECES: readonly Piece[] = [];

/** What a harness puts in the agent's mouth where nobody asked it anything. */
const SAYS_NOTHING = /^\s*(?:No response requested\.?|\(no content\))\s*$/i;

/** What is no text takes about as long to look at as this many UTF-16 code units. */
const LENGTH_OF_VALUE = 8;

/** How long an input is to read: about as long as its texts. */
function lengthOf(value: JsonValue | undefined): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return LENGTH_OF_VALUE;
  return Object.values(value).reduce((sum: number, item) => sum + lengthOf(item), LENGTH_OF_VALUE);
}

/** Reads the messages of a span one after the other. */
class SpanReader {
  /** Calls by call id. A reused id names its newest call. */
  readonly #calls = new Map<string, CallReading>();
  /** A command that the agent gave as text, until its outcome comes as a user message. */
  #spoken: CallReading | null = null;

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
    if (message.role === "user" && isObservation(text)) return this.#observationPiece(text, place);
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
    if (SAYS_NOTHING.test(text)) return NO_PIECES;
    const { length } = text;
    const spoken = closing ? readSpokenCommand(text, place) : null;
    this.#spoken = spoken;
    const speech = new Speech(text, place, "agent", closing && spoken === null);
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
      { toolName: "shell", callId: asToolCallId("spoken"), outcome: "success", content: { type: "text", text } },
      this.#spoken,
      place,
    );
    this.#spoken = null;
    return { length: text.length, show: showingResult(reading) };
  }

  #resultPiece({ result }: ToolResultPart, place: Place): Piece {
    const reading = readResult(result, this.#calls.get(result.callId) ?? null, place);
    // What an agent that was sent out brings back is its report.
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
