import {
  type CompactionOutcome,
  checkOptions,
  type MessageInput,
  problemOf,
  refuseArgument,
  requestTokens,
  type SummariesAskedRecord,
  tokenBudget,
  type Usage,
} from "@threadfold/core";
import type { CompactionCall } from "@threadfold/renderer/native";
import type { OverflowFigures, UsageReport } from "@threadfold/turn";
import {
  type CompletedResponse,
  checkUsage,
  type FailedCall,
  type ModelResponse,
  overflowIn,
  TakenAnswers,
  withoutTruncatedCalls,
} from "../host/model-response.ts";
import type { SessionOptions } from "../host/session-options.ts";
import type { SessionServices } from "./session-services.ts";

/** Handles the model's answers and failures: appends, learns from them, and decides whether to try again. */
export class ModelAnswers {
  readonly #services: SessionServices;
  readonly #taken = new TakenAnswers();

  constructor(services: SessionServices) {
    this.#services = services;
  }

  async complete(response: ModelResponse): Promise<CompletedResponse> {
    const { thread, memory, history, folding, request } = this.#services;
    const { stopReason = "end" } = response;
    const isCompacted = response.messages.some((message) => request.holdsItem(message));
    const usage = response.usage && { ...response.usage, ...(isCompacted && { compacted: true as const }) };
    const { messages, discarded } = withoutTruncatedCalls(response);
    if (messages.length > 0) await thread.append(messages);
    const { ledger } = thread.state;
    const shownTokens = messages.reduce(
      (sum, _, index) => sum + (ledger.header(ledger.length - 1 - index)?.tokens ?? 0),
      0,
    );
    await this.#taken.once(messages, async () => {
      const sentTokens = isCompacted ? this.#sentTokens() : 0;
      await memory.answered(stopReason, usage, shownTokens);
      if (isCompacted || usage?.compaction !== undefined) await this.#compactedAbove(usage, sentTokens);
    });
    const appended = await history.whenNeeded(() =>
      messages.flatMap(({ id }) => thread.state.thread.message(id) ?? []),
    );
    const retry = stopReason === "max-output" && (await folding.foldsNext());
    return { appended, discarded, retry };
  }

  async reported(report: UsageReport): Promise<void> {
    checkUsage(report);
    await this.#services.memory.usageReported(report);
    if (report.compaction !== undefined) await this.#compactionTook(report.compaction);
  }

  async failed(error: unknown): Promise<FailedCall> {
    const overflow = overflowIn(error);
    if (overflow === null) return { kind: "other", retry: false };
    await this.#services.memory.load();
    await this.overflowed(overflow);
    return { kind: "overflow", retry: await this.#services.folding.foldsNext() };
  }

  /** Has the provider compact what the next request would show, and folds alongside the result. */
  async compactAtProvider(send: (call: CompactionCall) => Promise<MessageInput>): Promise<CompactionOutcome> {
    const { request, recorder, history, thread, plan } = this.#services;
    const { compaction } = request;
    const { rendered } = await history.whenNeeded(() => recorder.render(plan.current, []));
    const { tokens: now } = rendered.verification;
    const tokens = { before: now, after: now };
    if (compaction === null) return { type: "no-op", reason: "the provider does not compact for this model", tokens };
    if (rendered.rendering.request.messages.at(-1)?.synthetic === "missing-result")
      return { type: "postponed", reason: "calls wait for their results", tokens };
    const { version } = thread.state.thread;
    let answer: MessageInput;
    try {
      answer = await send(compaction.call(rendered.payload));
    } catch (cause) {
      return { type: "failed", problem: problemOf(cause), cause, tokens };
    }
    const outcome = await this.#takeItem(answer, version, tokens);
    const took = answer.usage?.compaction ?? answer.usage;
    await this.#compactionTook(took ?? { inputTokens: now, outputTokens: 0 }, {
      ...(took === undefined && { reported: false as const }),
      outcome: outcome.type,
      ...("plan" in outcome && { planVersion: outcome.plan.version }),
    });
    return outcome;
  }

  async #takeItem(
    answer: MessageInput,
    version: number,
    tokens: CompactionOutcome["tokens"],
  ): Promise<CompactionOutcome> {
    const { request, thread, folding } = this.#services;
    if (!request.holdsItem(answer)) return { type: "no-op", reason: "the provider gave no compaction", tokens };
    // The item replaces what was sent. Appended after messages that came meanwhile, it would replace them as well.
    if (thread.state.thread.version !== version)
      return { type: "postponed", reason: "messages came while the provider compacted", tokens };
    await thread.append([answer]);
    return folding.compact({});
  }

  /**
   * Records the usage of a compaction at a threshold, unless the answer's own usage already covers the whole prompt
   * that was sent.
   */
  async #compactedAbove(usage: Omit<UsageReport, "stopReason"> | undefined, sentTokens: number): Promise<void> {
    if (usage?.compaction !== undefined) return this.#compactionTook(usage.compaction);
    if ((usage?.inputTokens ?? 0) > sentTokens / 2) return;
    await this.#compactionTook({ inputTokens: sentTokens, outputTokens: 0 }, { reported: false });
  }

  async #compactionTook(usage: Omit<Usage, "compaction">, more: Partial<SummariesAskedRecord> = {}): Promise<void> {
    const { request, journal } = this.#services;
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
    await journal.summariesAsked({
      ...{ by: "provider", summarizer: request.format.id, calls: 1, inputTokens, outputTokens },
      ...(request.model !== undefined && { model: request.model }),
      ...(cacheReadTokens !== undefined && { cacheReadTokens }),
      ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
      ...more,
    });
  }

  /** Tokens of the newest request, as the provider would count them. */
  #sentTokens(): number {
    const { sent, estimate } = this.#services.memory.usage;
    return sent === null ? 0 : requestTokens(estimate, sent.counted);
  }

  async overflowed(report: OverflowFigures): Promise<void> {
    checkOptions("overflow", report, { inputTokens: "figure", limitTokens: "figure" });
    const { memory, request } = this.#services;
    return memory.overflowed(report, tokenBudget(request.config).limitTokens);
  }
}

/** @throws ThreadfoldError `INVALID_CONFIG` when the session was not opened for compaction on demand. */
export function checkOnDemand({ providerCompaction: asked }: SessionOptions, send: unknown): void {
  if (asked?.when !== "on-demand")
    refuseArgument(
      "compactAtProvider",
      "the session was not opened for it.",
      'Open it with providerCompaction: { when: "on-demand" }.',
    );
  if (typeof send !== "function") refuseArgument("send", "it has to be a function.");
}
