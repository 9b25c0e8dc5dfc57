import fc from "fast-check";
import { asMessageId, asToolCallId, type MessageId, type ToolCallId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import { proseTexts } from "./text-arbitrary.ts";
import type { CallDraft } from "./tool-exchange-arbitrary.ts";
import {
  type ExchangeBeat,
  oddBeats,
  plainBeats,
  type SpeechBeat,
  type StrayResultBeat,
  type TranscriptBeat,
} from "./transcript-beat.ts";

/** What a generated transcript may hold. */
export interface TranscriptOptions {
  /**
   * Also orphan, duplicate, early and id-reusing results, empty and hostile text, reasoning, media, opaque parts, system
   * messages in mid-conversation, side branches, synthetic messages, huge bodies and ids such as `__proto__`.
   */
  readonly malformed?: boolean;
  /** At most so many messages; 40 by default. */
  readonly maxMessages?: number;
}

/**
 * Transcripts of agents: user turns, assistant texts, parallel tool calls with results that are adjacent or not, calls
 * that stay open and calls in flight at the end. Every message is valid by schema and every message id is its own.
 */
export function messageInputs(options: TranscriptOptions = {}): fc.Arbitrary<readonly MessageInput[]> {
  const { malformed = false, maxMessages = 40 } = options;
  const preamble = fc.option(proseTexts, { nil: undefined });
  const beats = fc.array(malformed ? oddBeats : plainBeats, { maxLength: Math.ceil(maxMessages / 2), size: "+1" });
  const hostileIds = malformed ? fc.boolean() : fc.constant(false);
  return fc.tuple(preamble, beats, hostileIds).map(([system, list, hostile]) => {
    const transcript = new Transcript(hostile);
    if (system !== undefined)
      transcript.add({ kind: "speech", role: "system", parts: [{ type: "text", text: system }] });
    for (const beat of list) transcript.add(beat);
    return transcript.messages.slice(0, maxMessages);
  });
}

const START = Date.UTC(2025, 0, 1);
const HOSTILE_IDS = ["__proto__", "constructor", "toString", "消息", "a:b|c/d", " "];

/** Lays beats out as messages, handing out ids and times in order. */
class Transcript {
  readonly messages: MessageInput[] = [];
  readonly #hostileIds: boolean;
  readonly #calls: ToolCallId[] = [];

  constructor(hostileIds: boolean) {
    this.#hostileIds = hostileIds;
  }

  add(beat: TranscriptBeat): void {
    switch (beat.kind) {
      case "speech":
        return this.#speak(beat);
      case "exchange":
        return this.#exchange(beat);
      case "stray-result":
        return this.#stray(beat);
    }
  }

  #speak({ kind: _kind, ...message }: SpeechBeat): void {
    this.#push(message);
  }

  #exchange({ lead, calls, answered, between, branch, reuseIds, resultsFirst }: ExchangeBeat): void {
    const ids = calls.map((_, index) => this.#callId(index, reuseIds === true));
    const place = branch === undefined ? {} : { branch };
    const callParts = calls.map(
      ({ toolName, input, invalidInput }, index): Part => ({
        type: "tool-call",
        callId: ids[index] as ToolCallId,
        toolName,
        input,
        ...(invalidInput !== undefined && { invalidInput }),
      }),
    );
    const call = (): void =>
      this.#push({ role: "assistant", parts: [...lead, ...callParts], model: "model-1", ...place });
    const answer = (): void => {
      for (const index of answered) this.#answer(calls[index] as CallDraft, ids[index] as ToolCallId, place);
    };
    if (resultsFirst !== true) call();
    else answer();
    for (const beat of between) this.#speak(beat);
    if (resultsFirst !== true) answer();
    else call();
  }

  #stray({ stray, call }: StrayResultBeat): void {
    const known = this.#calls.at(-1);
    this.#answer(call, stray === "duplicate" && known !== undefined ? known : asToolCallId("call_unknown"), {});
  }

  #answer(call: CallDraft, callId: ToolCallId, place: { readonly branch?: string }): void {
    const { toolName, outcome, content, keyFields, durability } = call;
    const result = {
      toolName,
      callId,
      outcome,
      content,
      ...(keyFields && { keyFields }),
      ...(durability && { durability }),
    };
    this.#push({ role: "tool", parts: [{ type: "tool-result", result }], ...place });
  }

  #callId(index: number, reuse: boolean): ToolCallId {
    const used = reuse ? this.#calls[index] : undefined;
    const id = used ?? asToolCallId(`call_${this.#calls.length + 1}`);
    if (used === undefined) this.#calls.push(id);
    return id;
  }

  #push(message: Omit<MessageInput, "id" | "createdAt">): void {
    const number = this.messages.length;
    this.messages.push({
      id: this.#messageId(number),
      createdAt: new Date(START + number * 1_000).toISOString(),
      ...message,
    });
  }

  #messageId(number: number): MessageId {
    return asMessageId((this.#hostileIds ? HOSTILE_IDS[number] : undefined) ?? `m${number + 1}`);
  }
}
