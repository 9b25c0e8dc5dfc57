import { asToolCallId, type Message, type ToolCallPart, type ToolResultPart } from "@threadfold/core";
import { type CallReading, readCall } from "./reading/call-reading.ts";
import type { Place } from "./reading/place.ts";
import { readResult } from "./reading/result-reading.ts";
import { Speech } from "./reading/speech.ts";
import { isObservation, readSpokenCommand } from "./reading/spoken-command.ts";
import { typedText } from "./reading/typed-text.ts";
import type { SpanCollector } from "./span-collector.ts";

/** Shows a span to collectors, piece by piece and in order. Side branches are not shown: no prompt holds them. */
export function readSpan(messages: readonly Message[], collectors: readonly SpanCollector[]): void {
  const reader = new SpanReader(collectors);
  messages.forEach((message, position) => reader.read(message, position));
}

class SpanReader {
  readonly #collectors: readonly SpanCollector[];
  /** Calls by call id. A reused id names its newest call. */
  readonly #calls = new Map<string, CallReading>();
  /** A command that the agent gave as text, until its outcome comes as a user message. */
  #spoken: CallReading | null = null;

  constructor(collectors: readonly SpanCollector[]) {
    this.#collectors = collectors;
  }

  read(message: Message, position: number): void {
    if (message.branch !== undefined) return;
    const place: Place = { messageId: message.id, position, turn: message.turn };
    const closing = message.role === "assistant" && !message.parts.some((part) => part.type === "tool-call");
    for (const part of message.parts) {
      switch (part.type) {
        case "text":
          this.#readText(part.text, message, place, closing);
          break;
        case "reasoning":
          for (const collector of this.#collectors) collector.otherText?.(part.text, place);
          break;
        case "tool-call":
          this.#readCall(part, place);
          break;
        case "tool-result":
          this.#readResult(part, place);
      }
    }
  }

  #readText(text: string, message: Message, place: Place, closing: boolean): void {
    if (message.origin === "compaction") return this.#readHandoff(text, place);
    if (message.role === "assistant") {
      this.#spoken = closing ? readSpokenCommand(text, place) : null;
      const speech = new Speech(text, place, "agent", closing && this.#spoken === null);
      for (const collector of this.#collectors) collector.agentSpeech?.(speech);
      if (this.#spoken !== null) for (const collector of this.#collectors) collector.call?.(this.#spoken);
      return;
    }
    if (message.role === "user" && isObservation(text)) return this.#readObservation(text, place);
    if (message.role === "system" && message.origin === undefined) {
      const speech = new Speech(text, place, "system");
      for (const collector of this.#collectors) collector.systemSpeech?.(speech);
      return;
    }
    const typed = message.origin === undefined ? typedText(text) : "";
    const speech = typed === "" ? null : new Speech(typed, place, "user");
    for (const collector of this.#collectors) {
      if (speech === null) collector.otherText?.(text, place);
      else collector.userSpeech?.(speech);
    }
  }

  #readHandoff(text: string, place: Place): void {
    for (const collector of this.#collectors) {
      collector.handoff?.(text, place);
      collector.otherText?.(text, place);
    }
  }

  #readCall(part: ToolCallPart, place: Place): void {
    const call = readCall(part, place);
    this.#calls.set(part.callId, call);
    for (const collector of this.#collectors) collector.call?.(call);
  }

  #readObservation(text: string, place: Place): void {
    const reading = readResult(
      { toolName: "shell", callId: asToolCallId("spoken"), outcome: "success", content: { type: "text", text } },
      this.#spoken,
      place,
    );
    this.#spoken = null;
    for (const collector of this.#collectors) collector.result?.(reading);
  }

  #readResult({ result }: ToolResultPart, place: Place): void {
    const reading = readResult(result, this.#calls.get(result.callId) ?? null, place);
    for (const collector of this.#collectors) {
      collector.result?.(reading);
      // What an agent that was sent out brings back is its report.
      if (reading.call?.kind === "agent" && !reading.failed) collector.handoff?.(reading.text, place);
    }
  }
}
