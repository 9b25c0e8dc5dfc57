import fc from "fast-check";
import { asMessageId, asToolCallId, type MessageId, type ToolCallId } from "../model/ids.ts";
import type { MessageInput, MessageOrigin, Role, Usage } from "../model/message.ts";
import type { MediaPart, OpaquePart, Part, ReasoningPart, TextPart } from "../model/part.ts";
import { hostileTexts, jsonObjects, proseTexts } from "./text-arbitrary.ts";
import { type CallDraft, hostileCalls, mediaParts, plainCalls, reasoningParts } from "./tool-exchange-arbitrary.ts";

/** What generated transcripts may contain. */
export interface TranscriptOptions {
  /**
   * Adds orphan, duplicate, early and id-reusing results, empty and hostile text, reasoning, media, opaque parts,
   * system messages in mid-conversation, side branches, synthetic messages, huge bodies and ids such as `__proto__`.
   * False by default.
   */
  readonly malformed?: boolean;
  /** The largest number of messages; 40 by default. */
  readonly maxMessages?: number;
}

/**
 * Generates transcripts of agents: user turns, assistant texts, parallel tool calls with adjacent or separated results,
 * calls that are never answered and calls in flight at the end. Every message matches the schema and has a unique id.
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

/** Turns beats into messages, assigning ids and times in order. */
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

/** A part that needs no id. */
type PlainPart = TextPart | MediaPart | ReasoningPart | OpaquePart;

/** A message without calls or results. */
interface SpeechBeat {
  readonly kind: "speech";
  readonly role: Exclude<Role, "tool">;
  readonly parts: readonly PlainPart[];
  readonly origin?: MessageOrigin;
  readonly branch?: string;
  readonly usage?: Usage;
}

/** The calls of one assistant message and their results, in the order of arrival. */
interface ExchangeBeat {
  readonly kind: "exchange";
  readonly lead: readonly PlainPart[];
  readonly calls: readonly CallDraft[];
  /** Indexes of the answered calls, in the order of their results. Other calls stay unanswered. */
  readonly answered: readonly number[];
  /** Messages that come between the call and its results. */
  readonly between: readonly SpeechBeat[];
  readonly branch?: string;
  /** Reuses the ids of earlier calls of the transcript. */
  readonly reuseIds?: boolean;
  /** Puts the results before the call. */
  readonly resultsFirst?: boolean;
}

/** A result that no open call is waiting for. */
interface StrayResultBeat {
  readonly kind: "stray-result";
  /** `orphan` answers an id that nobody called; `duplicate` answers an earlier call again. */
  readonly stray: "orphan" | "duplicate";
  readonly call: CallDraft;
}

/** One event of a conversation, before ids and times are assigned. */
type TranscriptBeat = SpeechBeat | ExchangeBeat | StrayResultBeat;

const textPart = (text: fc.Arbitrary<string>) => fc.record({ type: fc.constant("text" as const), text });
const speech = (role: SpeechBeat["role"], parts: fc.Arbitrary<readonly PlainPart[]>): fc.Arbitrary<SpeechBeat> =>
  parts.map((list) => ({ kind: "speech", role, parts: list }));

const one = <Item>(item: fc.Arbitrary<Item>) => item.map((value) => [value]);

const usages: fc.Arbitrary<Usage> = fc.record({ inputTokens: fc.nat(200_000), outputTokens: fc.nat(8_000) });
const userSays = speech("user", one(textPart(proseTexts)));
const assistantSays = fc
  .tuple(speech("assistant", one(textPart(proseTexts))), fc.option(usages, { nil: undefined }))
  .map(([beat, usage]) => (usage === undefined ? beat : { ...beat, usage }));

const plainLead: fc.Arbitrary<readonly PlainPart[]> = fc.oneof(fc.constant([]), one(textPart(proseTexts)));
const hostileLead: fc.Arbitrary<readonly PlainPart[]> = fc.array(fc.oneof(reasoningParts, textPart(hostileTexts)), {
  maxLength: 2,
});

const between = fc.oneof(
  { weight: 4, arbitrary: fc.constant<readonly SpeechBeat[]>([]) },
  { weight: 1, arbitrary: fc.array(fc.oneof(userSays, assistantSays), { minLength: 1, maxLength: 2 }) },
);

const MAX_CALLS = 4;
const ALL_CALLS = Array.from({ length: MAX_CALLS }, (_, index) => index);
/** Usually all calls in order; sometimes in another order, sometimes only some of them. */
const answeredCalls = fc.oneof(
  { weight: 5, arbitrary: fc.constant(ALL_CALLS) },
  { weight: 1, arbitrary: fc.shuffledSubarray(ALL_CALLS, { minLength: MAX_CALLS }) },
  { weight: 1, arbitrary: fc.subarray(ALL_CALLS, { maxLength: MAX_CALLS - 1 }) },
);

const exchanges = (
  lead: fc.Arbitrary<readonly PlainPart[]>,
  calls: fc.Arbitrary<CallDraft>,
): fc.Arbitrary<ExchangeBeat> =>
  fc
    .record({
      kind: fc.constant("exchange" as const),
      lead,
      between,
      calls: fc.array(calls, { minLength: 1, maxLength: MAX_CALLS }),
      answered: answeredCalls,
    })
    .map((beat) => ({ ...beat, answered: beat.answered.filter((index) => index < beat.calls.length) }));

const plainExchanges = exchanges(plainLead, plainCalls);
const hostileExchanges = exchanges(hostileLead, hostileCalls);

/** Events in the log of a healthy agent. */
const plainBeats: fc.Arbitrary<TranscriptBeat> = fc.oneof(
  { weight: 3, arbitrary: userSays },
  { weight: 3, arbitrary: assistantSays },
  { weight: 6, arbitrary: plainExchanges },
);

const says = (role: SpeechBeat["role"]) => speech(role, fc.array(textPart(hostileTexts), { maxLength: 3 }));
const anyoneSays = fc.oneof(says("user"), says("assistant"), says("system"));
const opaque = fc.record({
  type: fc.constant("opaque" as const),
  provider: fc.constantFrom("anthropic", "openai"),
  value: jsonObjects,
});

const synthetic = fc
  .tuple(anyoneSays, fc.constantFrom<MessageOrigin>("harness", "compaction"))
  .map(([beat, origin]) => ({ ...beat, origin }));

const branched = fc
  .tuple(
    fc.oneof<fc.Arbitrary<SpeechBeat | ExchangeBeat>[]>(userSays, assistantSays, hostileExchanges),
    fc.constantFrom("subagent", "subagent/1", "subagent-2"),
  )
  .map(([beat, branch]) => ({ ...beat, branch }));

const broken = fc
  .tuple(hostileExchanges, fc.constantFrom<Partial<ExchangeBeat>>({ reuseIds: true }, { resultsFirst: true }))
  .map(([beat, flaw]) => ({ ...beat, ...flaw }));

const strays = fc.record({
  kind: fc.constant("stray-result" as const),
  stray: fc.constantFrom("orphan" as const, "duplicate" as const),
  call: hostileCalls,
});

/** Events that real logs also contain after crashes, forks, other tools and hostile content. */
const oddBeats: fc.Arbitrary<TranscriptBeat> = fc.oneof(
  { weight: 4, arbitrary: plainBeats },
  { weight: 3, arbitrary: hostileExchanges },
  { weight: 2, arbitrary: anyoneSays },
  { weight: 1, arbitrary: speech("assistant", fc.array(reasoningParts, { minLength: 1, maxLength: 2 })) },
  { weight: 1, arbitrary: speech("assistant", fc.tuple(reasoningParts, textPart(hostileTexts))) },
  { weight: 1, arbitrary: speech("user", fc.tuple(mediaParts, textPart(proseTexts))) },
  { weight: 1, arbitrary: speech("assistant", one(opaque)) },
  { weight: 1, arbitrary: synthetic },
  { weight: 1, arbitrary: branched },
  { weight: 2, arbitrary: broken },
  { weight: 2, arbitrary: strays },
);
