import fc from "fast-check";
import type { MediaPart, TextPart } from "../model/content-part.ts";
import type { MessageOrigin, Role, Usage } from "../model/message.ts";
import type { OpaquePart, ReasoningPart } from "../model/part.ts";
import { hostileTexts, jsonObjects, proseTexts } from "./text-arbitrary.ts";
import { type CallDraft, hostileCalls, mediaParts, plainCalls, reasoningParts } from "./tool-exchange-arbitrary.ts";

/** A part that needs no id. */
export type PlainPart = TextPart | MediaPart | ReasoningPart | OpaquePart;

/** A message without calls or results. */
export interface SpeechBeat {
  readonly kind: "speech";
  readonly role: Exclude<Role, "tool">;
  readonly parts: readonly PlainPart[];
  readonly origin?: MessageOrigin;
  readonly branch?: string;
  readonly usage?: Usage;
}

/** Calls of one assistant message and their results, in the order in which the results come in. */
export interface ExchangeBeat {
  readonly kind: "exchange";
  readonly lead: readonly PlainPart[];
  readonly calls: readonly CallDraft[];
  /** Indexes of the answered calls, in the order of their results. What is missing stays open. */
  readonly answered: readonly number[];
  /** Messages that come between the call and its results. */
  readonly between: readonly SpeechBeat[];
  readonly branch?: string;
  /** Take the ids of earlier calls of the transcript instead of new ones. */
  readonly reuseIds?: boolean;
  /** Put the results before the call. */
  readonly resultsFirst?: boolean;
}

/** A result that no call waits for. */
export interface StrayResultBeat {
  readonly kind: "stray-result";
  /** `orphan` answers an id that nobody called; `duplicate` answers an earlier call again. */
  readonly stray: "orphan" | "duplicate";
  readonly call: CallDraft;
}

/** One event of a conversation, before ids and times are given out. */
export type TranscriptBeat = SpeechBeat | ExchangeBeat | StrayResultBeat;

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
/** Mostly all calls in order; sometimes in another order, sometimes not all of them. */
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

/** What a healthy agent's log holds. */
export const plainBeats: fc.Arbitrary<TranscriptBeat> = fc.oneof(
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

/** What real logs hold beside that, after crashes, forks, other tools and hostile content. */
export const oddBeats: fc.Arbitrary<TranscriptBeat> = fc.oneof(
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
