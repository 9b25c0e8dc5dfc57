import {
  type AgentThread,
  actionOf,
  type Clock,
  type CompactionOutcome,
  type CompactionPlan,
  EventLoopTurns,
  finishSteps,
  type JsonObject,
  type Message,
  overheadTokens,
  type RequestRenderedRecord,
  type Steps,
  tokenBudget,
} from "@threadfold/core";
import type { RehydrationResult } from "@threadfold/rehydration";
import type { RenderWarning } from "@threadfold/renderer";
import { providerCompaction } from "@threadfold/renderer/native";
import type { RenderedPlan, ThreadState } from "@threadfold/turn";
import type { PreparedRequest } from "../host/prepared-request.ts";
import type { RenderInputs, SessionRecorder } from "../journal/session-journal.ts";
import type { SessionMemory } from "../memory/session-memory.ts";
import type { RequestSettings } from "../request/request-settings.ts";
import type { SessionThread } from "../thread/session-thread.ts";
import type { CacheMarks } from "./cache-marks.ts";
import type { CacheTrace } from "./cache-trace.ts";

/** What rendering and recording requests depends on. */
export interface RequestRecorderPorts {
  readonly thread: SessionThread;
  readonly request: RequestSettings;
  readonly memory: SessionMemory;
  readonly journal: SessionRecorder;
  readonly marks: CacheMarks;
  /** Returns the fields with which a request that goes out now asks the provider to compact. */
  readonly compactionFields: () => JsonObject;
  /** Absent when no journal is kept to record its findings. */
  readonly trace?: CacheTrace;
  readonly clock: Clock;
  /** Id of the tokenizer. */
  readonly tokenizer: string;
}

/** A rendered request that has not been returned to the host yet. */
export interface RenderedRequest {
  readonly state: ThreadState;
  readonly plan: CompactionPlan;
  readonly rendered: RenderedPlan;
  /** Content that is shown in this request only. */
  readonly rehydrated: readonly RehydrationResult[];
  /** True when it is over its budget. */
  readonly overBudget: boolean;
}

type WrittenRequest = Pick<RenderInputs, "handedOut" | "cache">;

/** Warns of rules that are not pinned and whose own message the plan folds. */
function unpinnedWarning({ state, unpinned }: SessionThread, plan: CompactionPlan): readonly RenderWarning[] {
  const messageIds = unpinned.flatMap(({ source }) => source?.messageId ?? []);
  const folded = [...new Set(messageIds)].filter((id) => {
    const message = state.thread.messageInMemory(id);
    return message === undefined || actionOf(plan, id, message.ordinal).record !== null;
  });
  return folded.length === 0 ? [] : [{ kind: "rule-not-pinned", messageIds: folded }];
}

function unstoredWarning(outcome: CompactionOutcome | null): readonly RenderWarning[] {
  const messageIds = outcome?.notStored;
  return messageIds === undefined ? [] : [{ kind: "body-not-stored", messageIds }];
}

/** Warns that the model's limit is unknown. */
const guessWarning = ({ isGuessed }: RequestSettings): readonly RenderWarning[] =>
  isGuessed ? [{ kind: "model-unknown", messageIds: [] }] : [];

/** For each thread: how far it was searched for opaque provider items, and whether any was found. */
const itemsOf = new WeakMap<object, { until: number; found: boolean }>();

/** Messages that are searched in one step, in a millisecond or less. */
const AT_A_TIME = 2_048;

/**
 * Checks whether a thread may hold items of a provider's compaction. Looks only at what is new since the last check
 * (P9), in steps.
 */
function* searchItems(thread: AgentThread): Steps<boolean> {
  const known = itemsOf.get(thread.family) ?? { until: 0, found: false };
  itemsOf.set(thread.family, known);
  if (known.until === 0 && !thread.isWhole) {
    for (const message of thread.messagesInMemory()) known.found ||= hasItem(message);
    known.until = thread.length;
  }
  while (known.until < thread.length) {
    const to = Math.min(thread.length, known.until + AT_A_TIME);
    known.found ||= thread.messagesBetween(known.until, to).some(hasItem);
    known.until = to;
    if (to < thread.length) yield;
  }
  return known.found;
}

const hasItem = ({ parts }: Pick<Message, "parts">): boolean => parts.some(({ type }) => type === "opaque");

/** Renders requests and records each one by its digest before it is handed out. */
export class RequestRecorder {
  readonly #ports: RequestRecorderPorts;

  constructor(ports: RequestRecorderPorts) {
    this.#ports = ports;
  }

  /** Does in steps most of what {@link render} and {@link keep} do, so that these are quick even for a long thread. */
  async catchUp(plan: CompactionPlan): Promise<void> {
    const { thread, request } = this.#ports;
    await new EventLoopTurns().finish(request.renderer(thread.state).catchUp(plan, true));
  }

  /** Renders the thread as it is now under a plan. */
  render(plan: CompactionPlan, rehydrated: readonly RehydrationResult[]): RenderedRequest {
    const { thread, request } = this.#ports;
    const { state } = thread;
    const rendered = request.rendererWith(state, rehydrated).render(plan);
    return { state, plan, rendered, rehydrated, overBudget: this.#isOver(rendered) };
  }

  #isOver({ verification }: RenderedPlan): boolean {
    return verification.tokens > this.#limitTokens;
  }

  /** Records a request and returns it for the host. @throws what the journal throws. */
  async record(made: RenderedRequest, outcome: CompactionOutcome | null): Promise<PreparedRequest> {
    const { request, memory, trace } = this.#ports;
    const { state } = made;
    const { rendering } = made.rendered;
    const steps = this.#readNew(state);
    // Only a long thread of which much is new makes a request wait.
    if (steps.next().done !== true) await new EventLoopTurns().finish(steps);
    const { prepared, marked } = this.#handOut(made, outcome);
    const traced = { rendering, marks: marked.places, price: marked.price?.id, state, before: memory.requestsBefore };
    const cache = trace?.take({ ...traced, overheadTokens: overheadTokens(request.budget(state)) });
    memory.requestSent({ planVersion: made.plan.version, counted: rendering.tokens });
    await this.#write(made, { handedOut: true, ...(cache !== undefined && { cache }) });
    return prepared;
  }

  /** Reads the messages that are new since the previous request, which handing out the next one looks at. */
  *#readNew(state: ThreadState): Steps<void> {
    if (providerCompaction(this.#ports.request.format.id) !== undefined) yield* searchItems(state.thread);
    if (this.#ports.trace !== undefined) yield* this.#ports.trace.catchUp(state);
  }

  /** Records that a recorded request goes out once more, and returns it. @throws what the journal throws. */
  async recordAgain(
    made: Pick<RenderedRequest, "state" | "plan" | "rendered">,
    record: RequestRenderedRecord,
  ): Promise<PreparedRequest> {
    const { prepared } = this.#handOut({ ...made, rehydrated: [], overBudget: this.#isOver(made.rendered) }, null);
    const { memory, journal } = this.#ports;
    memory.requestSent({ planVersion: made.plan.version, counted: made.rendered.rendering.tokens });
    await journal.requestRepeated(record);
    return { ...prepared, rehydrated: record.rehydrated.map(({ artifactId }) => artifactId) };
  }

  /** Builds the request as the host gets it, with the cache breakpoints of this one call. */
  #handOut(made: RenderedRequest, outcome: CompactionOutcome | null) {
    const { thread, request, memory, marks } = this.#ports;
    const { plan, rehydrated, overBudget } = made;
    const { rendering, payload, verification, digest } = made.rendered;
    const { model, format } = request;
    const marked = marks.mark({
      ...{ payload, format, model, planVersion: plan.version, tokens: rendering.tokens, request: rendering.request },
      ...{
        at: this.#ports.clock.now(),
        price: request.price,
        times: request.cacheTimes,
        before: memory.requestsBefore,
      },
    });
    const { text, digest: sum, bytes } = digest;
    const asked = { ...marked.payload, ...this.#ports.compactionFields() };
    const prepared: PreparedRequest = {
      format: format.id,
      request: rendering.request,
      payload: asked,
      payloadText: text,
      digest: sum,
      reference: { threadId: made.state.thread.id, planVersion: plan.version, digest: sum },
      bytes,
      // Asking the thread whether there is anything to look for is cheaper than searching the payload.
      betas:
        providerCompaction(format.id)?.betas(
          finishSteps(searchItems(made.state.thread)) ? asked : { ...asked, [format.messagesField]: [] },
        ) ?? [],
      cacheTime: marked.time,
      tokens: verification.tokens,
      overBudget,
      breakdown: verification.breakdown,
      plan,
      manifest: rendering.manifest,
      warnings: [
        ...rendering.warnings,
        ...unpinnedWarning(thread, plan),
        ...unstoredWarning(outcome),
        ...guessWarning(request),
      ],
      violations: verification.violations,
      missingPins: rendering.missingPins,
      outcome,
      rehydrated: rehydrated.map((result) => result.artifactId),
    };
    return { prepared, marked };
  }

  /** Records a request that is not handed out, to keep its frame. @throws what the journal throws. */
  keep(made: RenderedRequest): Promise<void> {
    return this.#write(made, { handedOut: false });
  }

  #write({ state, plan, rendered, rehydrated }: RenderedRequest, written: WrittenRequest): Promise<void> {
    const { request, journal, tokenizer } = this.#ports;
    const { frame, model, summaryRole, summaryWording, format } = request;
    const named = { planVersion: plan.version, format: format.id, digest: rendered.digest.digest };
    return journal.requestRendered(named, {
      frame,
      tokenizer,
      summaryRole,
      ...(summaryWording !== undefined && { summaryWording }),
      ...(model !== undefined && { model }),
      threadVersion: state.thread.version,
      counted: rendered.rendering.tokens,
      estimatedTokens: rendered.verification.tokens,
      limitTokens: this.#limitTokens,
      rehydrated,
      ...written,
    });
  }

  /** Tokens that a request may take. */
  get #limitTokens(): number {
    return tokenBudget(this.#ports.request.config).limitTokens;
  }

  /** Records that a request was refused. */
  async refuse({ state, plan, rendered }: RenderedRequest, outcome: CompactionOutcome): Promise<void> {
    const { maxInputTokens, outputReserveTokens } = this.#ports.request.config;
    await this.#ports.journal.requestRefused({
      outcome: outcome.type,
      threadVersion: state.thread.version,
      planVersion: plan.version,
      tokens: rendered.verification.tokens,
      maxInputTokens,
      outputReserveTokens,
    });
  }
}
