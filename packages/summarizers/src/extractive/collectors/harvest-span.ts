import {
  asToolCallId,
  type JsonValue,
  type Message,
  type Steps,
  type SummarizeRequest,
  type ToolCallPart,
  type ToolResultPart,
  textIn,
  typedRanges,
} from "@threadfold/core";
import { type CallReading, readCall } from "../reading/call-reading.ts";
import { BackgroundCommands } from "../reading/result-frame.ts";
import { type ResultReading, readResult, refusalOf } from "../reading/result-reading.ts";
import { type Place, Speech, typedText } from "../reading/speech.ts";
import {
  isEditRefused,
  readNamedCall,
  readSpokenAnswer,
  type SpokenForm,
  type SpokenResult,
  spokenForm,
  spokenResults,
} from "../reading/spoken-calls.ts";
import { SpanWords } from "../text/words.ts";
import { FileCollector, SpanPaths } from "./file-collector.ts";
import { IdentifierCollector } from "./identifier-collector.ts";
import { OutcomeCollector, RunCollector } from "./outcome-collectors.ts";
import { QuestionCollector, RefusalCollector } from "./question-collector.ts";
import { CommitCollector, HandoffCollector, ReportCollector } from "./report-collectors.ts";
import { RequestCollector } from "./request-collector.ts";
import type { Harvest, HarvestContext, SpanCollector, SpanStart } from "./span-collector.ts";
import { AskedForCollector, ConstraintCollector, DecisionCollector, FactCollector } from "./statement-collectors.ts";
import { TaskCollector, TodoCollector } from "./task-collectors.ts";

/** Returns what code finds in the span of a request, one harvest per collector. */
export function* harvestSpan(request: SummarizeRequest): Steps<readonly Harvest[]> {
  const { messages, previous, lastTurn, pins, maxTokens, countTokens } = request;
  const context: HarvestContext = { messages, previous, lastTurn, pins, maxTokens, countTokens };
  const collectors = spanCollectors(request);
  yield* readSpan(request, collectors);
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
function* readSpan({ messages, previous }: SpanStart, collectors: readonly SpanCollector[]): Steps<void> {
  const reader = new SpanReader(messages, previous);
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
  /^(?:No response requested\.?|\(no content\)|API Error: \d{3}\b.*|Claude (?:AI )?usage limit reached.*|Prompt is too long|Request timed out\.?|Ok, (?:any changes I propose will be to those files|I will use these files as references|I won't try and edit those files without asking first|I'll (?:remember that|reply with the)[^.\n]{0,60})\.)$/i;

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
  /** The calls that the agent gave as text, until their results arrive in a user message. */
  #spoken: CallReading[] = [];
  readonly #form: SpokenForm | null;
  readonly #messages: readonly Message[];
  readonly #background: BackgroundCommands;

  constructor(messages: readonly Message[], previous: SpanStart["previous"]) {
    this.#background = new BackgroundCommands(previous);
    this.#messages = messages;
    this.#form = spokenForm(messages);
  }

  piecesOf(message: Message, position: number): readonly Piece[] {
    if (message.branch !== undefined) return NO_PIECES;
    const place: Place = { messageId: message.id, position, turn: message.turn };
    const closing = message.role === "assistant" && !message.parts.some((part) => part.type === "tool-call");
    const ranges = typedRanges(message);
    return message.parts.flatMap((part, index) => {
      switch (part.type) {
        case "text":
          if (message.role === "assistant" && message.origin !== "compaction")
            return this.#saidPieces(part.text, place, closing);
          return this.#heardPieces(part.text, textIn(part.text, ranges[index] ?? []), message, index, place);
        case "reasoning":
          return thoughtPiece(part.text, place);
        case "tool-call":
          return this.#callPiece(part, place);
        case "tool-result":
          return this.#resultPiece(part, place);
        default:
          return NO_PIECES;
      }
    });
  }

  /** @param own the part of the text that its author wrote. */
  #heardPieces(text: string, own: string, message: Message, part: number, place: Place): readonly Piece[] {
    const { length } = text;
    if (message.origin === "compaction") return [handoffPiece(text, place)];
    const results = this.#form === null ? [] : spokenResults(message, part, this.#form, this.#spoken.length);
    if (results.length > 0) return results.flatMap((result) => this.#spokenResultPieces(result, place));
    if (message.origin === "harness" && DEMONSTRATION.test(text)) return NO_PIECES;
    if (message.role === "system" && message.origin === undefined) {
      const speech = new Speech(text, place, "system");
      return [{ length, show: (collector) => collector.systemSpeech?.(speech) }];
    }
    const noticed = this.#background.noticed(text);
    if (noticed !== null) return [spokenPiece({ toolName: noticed.toolName, text, failed: false }, noticed, place)];
    const typed = message.origin === undefined ? typedText(own) : "";
    if (typed !== "") {
      const speech = new Speech(typed, place, "user");
      return [{ length, show: (collector) => collector.userSpeech?.(speech) }];
    }
    // What the harness of such an agent adds is the state of an editor, or the body of a result that was read before.
    if (this.#form === "tags" || STATE.test(text)) return NO_PIECES;
    return [thoughtPiece(text, place)];
  }

  #saidPieces(whole: string, place: Place, closing: boolean): readonly Piece[] {
    if (SAYS_NOTHING.test(whole.trim())) return NO_PIECES;
    const { text, thoughts } = withoutThoughts(whole);
    const { length } = text;
    const thought = thoughts === "" ? NO_PIECES : [thoughtPiece(thoughts, place)];
    if (this.#form === null) return [...thought, saidPiece(new Speech(text, place, "agent", closing), length)];
    const { said, calls, isClosing } = readSpokenAnswer(text, this.#form, place);
    const edited = this.#form === "edits" && calls.length > 0;
    const speech = saidPiece(new Speech(said, place, "agent", closing && isClosing, edited), length);
    if (this.#form === "edits") return [...thought, ...this.#editPieces(calls, place), speech];
    this.#spoken = [...calls];
    const called = calls.map((call): Piece => ({ length, show: (collector) => collector.call?.(call) }));
    return [...thought, speech, ...called];
  }

  /** The edits that the harness makes as soon as they are said, unless the message after them says that it could not. */
  #editPieces(calls: readonly CallReading[], place: Place): readonly Piece[] {
    const next = this.#messages[place.position + 1];
    const after =
      next?.role === "user" ? next.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n") : "";
    return calls.flatMap((call): readonly Piece[] => {
      const failed = call.files.some(({ path }) => isEditRefused(path, after));
      const result = { toolName: call.toolName, text: failed ? "Error: the edit matched no text" : "", failed };
      return [
        { length: lengthOf(call.input), show: (collector) => collector.call?.(call) },
        spokenPiece(result, call, place),
      ];
    });
  }

  #callPiece(part: ToolCallPart, place: Place): Piece {
    const call = readCall(part, place);
    this.#calls.set(part.callId, call);
    // Its result comes as text, too.
    if (this.#form === "tags") this.#spoken.push(call);
    return { length: lengthOf(part.input), show: (collector) => collector.call?.(call) };
  }

  #spokenResultPieces(result: SpokenResult, place: Place): readonly Piece[] {
    const waiting = this.#spoken.findIndex(({ toolName }) => this.#form !== "tags" || toolName === result.toolName);
    const call = this.#spoken[waiting] ?? readNamedCall(result, place);
    if (waiting >= 0) this.#spoken.splice(waiting, 1);
    return apartByFile(result, call).map(([text, of]) => spokenPiece({ ...result, text }, of, place));
  }

  #resultPiece({ result }: ToolResultPart, place: Place): Piece {
    const call = this.#background.commandOf(this.#calls.get(result.callId) ?? null);
    const reading = readResult(result, call, place);
    this.#background.note(call, reading.sessions);
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

const saidPiece = (speech: Speech, length: number): Piece => ({
  length,
  show: (collector) => collector.agentSpeech?.(speech),
});

const thoughtPiece = (text: string, place: Place): Piece => ({
  length: text.length,
  show: (collector) => collector.otherText?.(text, place),
});

function spokenPiece(
  { toolName, text, failed }: Pick<SpokenResult, "toolName" | "text" | "failed">,
  call: CallReading | null,
  place: Place,
): Piece {
  const envelope = {
    toolName: call?.toolName ?? toolName,
    callId: asToolCallId("spoken"),
    outcome: failed ? ("failure" as const) : ("success" as const),
    content: { type: "text" as const, text },
  };
  return { length: text.length, show: showingResult(readResult(envelope, call, place)) };
}

/** The parts of a result that shows several files, each as a result of reading that file. */
function apartByFile(
  { text }: SpokenResult,
  call: CallReading | null,
): readonly (readonly [string, CallReading | null])[] {
  if (call === null || call.kind !== "read" || call.files.length < 2) return [[text, call]];
  const parts = text.split("<file><path>");
  if (parts.length - 1 !== call.files.length) return [[text, call]];
  return call.files.map((file, index) => [parts[index + 1] as string, { ...call, files: [file] }]);
}

/** The state of an editor, which a harness adds to messages. */
const STATE = /^\s*<environment_details>/;
/** Thoughts that a model writes into its answer, with the tags or headings that open and close them. */
const THOUGHTS = /<(think|thinking-content-[\w-]{1,64})>|^-*\s*► \*\*THINKING\*\*/m;
const THOUGHT_ENDS = "► **ANSWER**";

function withoutThoughts(text: string): { readonly text: string; readonly thoughts: string } {
  const opened = THOUGHTS.exec(text.slice(0, LONGEST_OPENING));
  if (opened === null) return { text, thoughts: "" };
  const close = opened[1] === undefined ? THOUGHT_ENDS : `</${opened[1]}>`;
  const start = opened.index + opened[0].length;
  const end = text.indexOf(close, start);
  if (end < 0) return { text, thoughts: "" };
  const rest = `${text.slice(0, opened.index)}${text.slice(end + close.length)}`;
  return { text: rest.trim(), thoughts: text.slice(start, end).trim() };
}

/** How far into an answer its thoughts may begin, in UTF-16 code units. */
const LONGEST_OPENING = 200;

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
