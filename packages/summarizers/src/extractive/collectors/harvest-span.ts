import {
  asToolCallId,
  LongMap,
  type Message,
  type Steps,
  type SummarizeRequest,
  type ToolCallPart,
  type ToolResultPart,
  textIn,
  typedRanges,
} from "@threadfold/core";
import {
  apartByFile,
  type CallReading,
  editsMade,
  lengthOf,
  readCall,
  spokenWords,
  withoutProgress,
} from "../reading/call-reading.ts";
import { BackgroundCommands } from "../reading/result-frame.ts";
import { type ResultReading, readResult } from "../reading/result-reading.ts";
import {
  type AttachedFile,
  attachedFiles,
  isDemonstration,
  type Place,
  repliedWords,
  reportsIn,
  Speech,
  saysNothing,
  typedText,
  type WorkReport,
  wholeParts,
  withoutThoughts,
} from "../reading/speech.ts";
import {
  isEditRefused,
  readNamedCall,
  readSpokenAnswer,
  refusesEdits,
  type SpokenForm,
  type SpokenResult,
  spokenForm,
  spokenResults,
} from "../reading/spoken-calls.ts";
import { SpanWords } from "../text/words.ts";
import { FileCollector } from "./file-collector.ts";
import { IdentifierCollector } from "./identifier-collector.ts";
import { OutcomeCollector } from "./outcome-collector.ts";
import { QuestionCollector, RefusalCollector, refusalOf } from "./question-collector.ts";
import { CommitCollector, HandoffCollector, ReportCollector, withoutDraft } from "./report-collectors.ts";
import { RequestCollector } from "./request-collector.ts";
import { RunCollector } from "./run-collector.ts";
import { type Harvest, type HarvestContext, type SpanCollector, SpanPaths, type SpanStart } from "./span-collector.ts";
import { AskedForCollector, ConstraintCollector, DecisionCollector, FactCollector } from "./statement-collectors.ts";
import { TaskCollector, TodoCollector } from "./task-collectors.ts";

/** Returns what code finds in the span of a request, one harvest per collector. */
export function* harvestSpan(request: SummarizeRequest): Steps<readonly Harvest[]> {
  const { messages, previous, lastTurn, pins, maxTokens, countTokens } = request;
  const context: HarvestContext = { messages, previous, lastTurn, pins, maxTokens, countTokens };
  const collectors = spanCollectors(request, yield* SpanWords.of(messages));
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
function spanCollectors(start: SpanStart, words: SpanWords): readonly SpanCollector[] {
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

/** Reads the messages of a span in order. */
class SpanReader {
  /** Calls by call id. A reused id refers to its newest call. */
  readonly #calls = new LongMap<CallReading>();
  /** The calls that the agent gave as text, until their results arrive in a user message. */
  #spoken: CallReading[] = [];
  readonly #form: SpokenForm | null;
  readonly #messages: readonly Message[];
  readonly #background: BackgroundCommands;
  /** What the harness says that it did, by position. Empty where it says nothing. */
  readonly #reports: ReadonlyMap<number, WorkReport>;
  /** The position of the first answer; −1 without one. */
  readonly #firstAnswer: number;

  constructor(messages: readonly Message[], previous: SpanStart["previous"]) {
    this.#background = new BackgroundCommands(previous);
    this.#messages = messages;
    this.#form = spokenForm(messages);
    this.#firstAnswer = messages.findIndex(({ role }) => role === "assistant");
    this.#reports = this.#form === "edits" ? reportsIn(messages) : new Map();
  }

  piecesOf(message: Message, position: number): readonly Piece[] {
    if (message.branch !== undefined) return NO_PIECES;
    const place: Place = { messageId: message.id, position, turn: message.turn };
    const closing = message.role === "assistant" && !message.parts.some((part) => part.type === "tool-call");
    const ranges = typedRanges(message);
    const parts = message.origin === "harness" ? wholeParts(message.parts) : message.parts;
    return parts.flatMap((part, index) => {
      switch (part.type) {
        case "text":
          if (message.role === "assistant" && message.origin !== "compaction")
            return this.#saidPieces(part.text, place, closing);
          if (index === 0 && this.#reports.has(position)) return this.#reportPieces(place);
          return this.#heardPieces(part.text, textIn(part.text, ranges[index] ?? []), message, index, place);
        case "reasoning":
          return thoughtPiece(part.text, place);
        case "tool-call":
          return this.#callPieces(part, message, place);
        case "tool-result":
          return this.#resultPieces(part, place);
        default:
          return NO_PIECES;
      }
    });
  }

  /** @param own the part of the text that its author wrote. */
  #heardPieces(text: string, own: string, message: Message, part: number, place: Place): readonly Piece[] {
    if (message.origin === "compaction") return [handoffPiece(withoutDraft(text), place)];
    const results = this.#form === null ? [] : spokenResults(message, part, this.#form, this.#spoken.length);
    if (results.length > 0) return results.flatMap((result) => this.#spokenResultPieces(result, place));
    if (message.origin === "harness" && isDemonstration(text)) return NO_PIECES;
    if (message.role === "system" && message.origin === undefined)
      return [speechPiece(new Speech(text, place, "system"))];
    const heard = this.#background.heard(text, place, message.origin === "harness");
    if (heard !== null) return heard.map((run) => spokenPiece({ ...run, failed: false }, run.call, place));
    const typed = message.origin === undefined ? typedText(own) : "";
    const files = attachedFiles(text, typed !== "").map((file) => filePiece(file, place));
    if (typed !== "") return [speechPiece(new Speech(typed, place, "user")), ...files];
    if (files.length > 0) return files;
    // What the harness of such an agent adds is the state of an editor, or the body of a result that was read before.
    if (this.#form === "tags" || STATE.test(text) || refusesEdits(text)) return NO_PIECES;
    return [thoughtPiece(text, place)];
  }

  #saidPieces(whole: string, place: Place, closing: boolean): readonly Piece[] {
    if (saysNothing(whole)) return NO_PIECES;
    const { text, thoughts } = withoutThoughts(whole);
    const thought = thoughts === "" ? NO_PIECES : [thoughtPiece(thoughts, place)];
    if (this.#form === null) return [...thought, speechPiece(new Speech(text, place, "agent", closing))];
    const { said, calls, lists, isClosing } = readSpokenAnswer(text, this.#form, place);
    const edits = this.#form === "edits" ? this.#editPieces(calls, place) : NO_PIECES;
    const speech = speechPiece(new Speech(said, place, "agent", closing && isClosing, edits.length > 0));
    if (this.#form === "edits") return [...thought, ...edits, speech];
    this.#spoken = [...calls];
    return [...thought, ...lists.map(calledPiece), speech, ...calls.map(calledPiece)];
  }

  /** The edits that the harness makes as soon as they are said, unless the message after them says that it could not. */
  #editPieces(calls: readonly CallReading[], place: Place): readonly Piece[] {
    const next = this.#messages[place.position + 1];
    const after =
      next?.role === "user" ? next.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n") : "";
    const isFailed = (call: CallReading): boolean => call.files.some(({ path }) => isEditRefused(path, after));
    const failed = calls.filter(isFailed);
    const made = this.#reports.size === 0 ? calls.filter((call) => !isFailed(call)) : this.#reportedEdits(calls, place);
    return [
      ...failed.flatMap((call) => editPieces(call, "Error: the edit matched no text", place)),
      ...made.flatMap((call) => editPieces(call, "", place)),
    ];
  }

  /** The edits that the harness says it made, up to the next answer. Where it tells its work, there are no others. */
  #reportedEdits(calls: readonly CallReading[], place: Place): readonly CallReading[] {
    const edits: CallReading[] = [];
    for (let at = place.position + 1; at < this.#messages.length; at++) {
      if (this.#messages[at]?.role === "assistant") break;
      const report = this.#reports.get(at);
      if (report !== undefined) edits.push(...editsMade(report, calls, place));
    }
    return edits;
  }

  /** The commits that the harness tells of, and edits of an answer that came before the span. */
  #reportPieces(place: Place): readonly Piece[] {
    const report = this.#reports.get(place.position) as WorkReport;
    const isFirst = this.#firstAnswer < 0 || place.position < this.#firstAnswer;
    const edits = isFirst ? editsMade(report, [], place) : [];
    return [
      ...edits.flatMap((call) => editPieces(call, "", place)),
      ...report.commits.map(
        (subject): Piece => ({
          length: subject.length,
          show: (collector) => collector.commit?.(subject, place),
        }),
      ),
    ];
  }

  #callPieces(part: ToolCallPart, message: Message, place: Place): readonly Piece[] {
    const [own, list] = withoutProgress(part);
    const call = readCall({ ...part, ...own }, place);
    this.#calls.set(part.callId, call);
    const listed = list === null ? [] : [calledPiece(readCall({ ...part, ...list }, place))];
    const words = spokenWords(part);
    if (words !== null) {
      const closing = message.parts.every((other) => other.type !== "tool-call" || spokenWords(other) !== null);
      return [...listed, speechPiece(new Speech(words, place, "agent", closing))];
    }
    // Its result comes as text, too.
    if (this.#form === "tags") this.#spoken.push(call);
    return [...listed, calledPiece(call)];
  }

  #spokenResultPieces(result: SpokenResult, place: Place): readonly Piece[] {
    const waiting = this.#spoken.findIndex(({ toolName }) => this.#form !== "tags" || toolName === result.toolName);
    const call = this.#spoken[waiting] ?? readNamedCall(result, place);
    if (waiting >= 0) this.#spoken.splice(waiting, 1);
    return apartByFile(result.text, call).map(([text, of]) => spokenPiece({ ...result, text }, of, place));
  }

  #resultPieces({ result }: ToolResultPart, place: Place): readonly Piece[] {
    const called = this.#calls.get(result.callId) ?? null;
    const call = this.#background.commandOf(called);
    const reading = readResult(result, call, place);
    if (called !== null && spokenWords(called) !== null && !reading.failed) {
      const words = repliedWords(result.toolName, reading.text);
      return words === "" ? NO_PIECES : [speechPiece(new Speech(words, place, "user"))];
    }
    this.#background.note(call, reading.sessions);
    // The result of a sub-agent is its report.
    const isReport = reading.call?.kind === "agent" && !reading.failed;
    const show = showingResult(reading);
    return [
      {
        length: reading.text.length,
        show: (collector) => {
          show(collector);
          if (isReport) collector.handoff?.(reading.text, place, "sub-agent");
        },
      },
    ];
  }
}

const calledPiece = (call: CallReading): Piece => ({
  length: lengthOf(call.input),
  show: (collector) => collector.call?.(call),
});

/** An edit that was tried, and its result, which is empty if it was made. */
const editPieces = (call: CallReading, text: string, place: Place): readonly Piece[] => [
  calledPiece(call),
  spokenPiece({ toolName: call.toolName, text, failed: text !== "" }, call, place),
];

const SHOWN_AS = { user: "userSpeech", system: "systemSpeech", agent: "agentSpeech" } as const;
const speechPiece = (speech: Speech): Piece => ({
  length: speech.text.length,
  show: (collector) => collector[SHOWN_AS[speech.speaker]]?.(speech),
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

function filePiece({ path, text }: AttachedFile, place: Place): Piece {
  const named = { toolName: "read_file", input: { path } };
  return spokenPiece({ toolName: named.toolName, text, failed: false }, readNamedCall({ named }, place), place);
}

/** The state of an editor, which a harness adds to messages. */
const STATE = /^\s*<environment_details>/;
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
