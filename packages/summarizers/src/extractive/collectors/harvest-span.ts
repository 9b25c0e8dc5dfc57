import {
  asToolCallId,
  type Message,
  type Steps,
  type SummarizeRequest,
  type ToolCallPart,
  type ToolResultPart,
} from "@threadfold/core";
import { type CallReading, isObservation, readCall, readSpokenCommand } from "../reading/call-reading.ts";
import { readResult } from "../reading/result-reading.ts";
import { type Place, Speech, typedText } from "../reading/speech.ts";
import { SpanWords } from "../text/words.ts";
import { FileCollector, SpanPaths } from "./file-collector.ts";
import { IdentifierCollector } from "./identifier-collector.ts";
import { OutcomeCollector, RunCollector } from "./outcome-collectors.ts";
import { QuestionCollector } from "./question-collector.ts";
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

/** A piece that is no longer is read by all collectors in one step: a step costs more than they do. In UTF-16 code units. */
const SHORT_PIECE = 2_000;

/**
 * Shows a span to collectors, piece by piece and in order; a step is a short piece, or what one collector reads of a long
 * one. Side branches are not shown: no prompt holds them.
 */
function* readSpan(messages: readonly Message[], collectors: readonly SpanCollector[]): Steps<void> {
  const reader = new SpanReader(collectors);
  for (const [position, message] of messages.entries()) yield* reader.read(message, position);
}

/** What a harness puts in the agent's mouth where nobody asked it anything. */
const SAYS_NOTHING = /^\s*(?:No response requested\.?|\(no content\))\s*$/i;

class SpanReader {
  readonly #collectors: readonly SpanCollector[];
  /** Calls by call id. A reused id names its newest call. */
  readonly #calls = new Map<string, CallReading>();
  /** A command that the agent gave as text, until its outcome comes as a user message. */
  #spoken: CallReading | null = null;

  constructor(collectors: readonly SpanCollector[]) {
    this.#collectors = collectors;
  }

  *read(message: Message, position: number): Steps<void> {
    if (message.branch !== undefined) return;
    const place: Place = { messageId: message.id, position, turn: message.turn };
    const closing = message.role === "assistant" && !message.parts.some((part) => part.type === "tool-call");
    for (const part of message.parts) {
      switch (part.type) {
        case "text":
          yield* this.#readText(part.text, message, place, closing);
          break;
        case "reasoning":
          yield* this.#show(part.text.length, (collector) => collector.otherText?.(part.text, place));
          break;
        case "tool-call":
          yield* this.#readCall(part, place);
          break;
        case "tool-result":
          yield* this.#readResult(part, place);
      }
    }
  }

  *#show(length: number, piece: (collector: SpanCollector) => void): Steps<void> {
    yield;
    for (const collector of this.#collectors) {
      if (length > SHORT_PIECE) yield;
      piece(collector);
    }
  }

  *#readText(text: string, message: Message, place: Place, closing: boolean): Steps<void> {
    if (message.origin === "compaction") return yield* this.#readHandoff(text, place);
    if (message.role === "assistant") {
      if (SAYS_NOTHING.test(text)) return;
      this.#spoken = closing ? readSpokenCommand(text, place) : null;
      const speech = new Speech(text, place, "agent", closing && this.#spoken === null);
      yield* this.#show(text.length, (collector) => collector.agentSpeech?.(speech));
      const spoken = this.#spoken;
      if (spoken !== null) yield* this.#show(text.length, (collector) => collector.call?.(spoken));
      return;
    }
    if (message.role === "user" && isObservation(text)) return yield* this.#readObservation(text, place);
    if (message.role === "system" && message.origin === undefined) {
      const speech = new Speech(text, place, "system");
      return yield* this.#show(text.length, (collector) => collector.systemSpeech?.(speech));
    }
    const typed = message.origin === undefined ? typedText(text) : "";
    const speech = typed === "" ? null : new Speech(typed, place, "user");
    yield* this.#show(text.length, (collector) => {
      if (speech === null) collector.otherText?.(text, place);
      else collector.userSpeech?.(speech);
    });
  }

  #readHandoff(text: string, place: Place): Steps<void> {
    return this.#show(text.length, (collector) => {
      collector.handoff?.(text, place, "handoff");
      collector.otherText?.(text, place);
    });
  }

  #readCall(part: ToolCallPart, place: Place): Steps<void> {
    const call = readCall(part, place);
    this.#calls.set(part.callId, call);
    return this.#show(JSON.stringify(part.input).length, (collector) => collector.call?.(call));
  }

  #readObservation(text: string, place: Place): Steps<void> {
    const reading = readResult(
      { toolName: "shell", callId: asToolCallId("spoken"), outcome: "success", content: { type: "text", text } },
      this.#spoken,
      place,
    );
    this.#spoken = null;
    return this.#show(text.length, (collector) => collector.result?.(reading));
  }

  #readResult({ result }: ToolResultPart, place: Place): Steps<void> {
    const reading = readResult(result, this.#calls.get(result.callId) ?? null, place);
    return this.#show(reading.text.length, (collector) => {
      collector.result?.(reading);
      // What an agent that was sent out brings back is its report.
      if (reading.call?.kind === "agent" && !reading.failed) collector.handoff?.(reading.text, place, "sub-agent");
    });
  }
}
