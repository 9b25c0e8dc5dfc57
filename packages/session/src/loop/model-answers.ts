import { tokenBudget } from "@threadfold/core";
import type { OverflowFigures } from "@threadfold/turn";
import {
  type CompletedResponse,
  type FailedCall,
  type ModelResponse,
  overflowIn,
  TakenAnswers,
  withoutTruncatedCalls,
} from "../host/model-response.ts";
import type { SessionServices } from "./session-services.ts";

/** What the model answered, or that it did not: appended, learned from, and asked whether to try again. */
export class ModelAnswers {
  readonly #services: SessionServices;
  readonly #taken = new TakenAnswers();

  constructor(services: SessionServices) {
    this.#services = services;
  }

  async complete(response: ModelResponse): Promise<CompletedResponse> {
    const { thread, memory, history, folding } = this.#services;
    const { usage, stopReason = "end" } = response;
    const { messages, discarded } = withoutTruncatedCalls(response);
    if (messages.length > 0) await thread.append(messages);
    const { ledger } = thread.state;
    const shownTokens = messages.reduce(
      (sum, _, index) => sum + (ledger.header(ledger.length - 1 - index)?.tokens ?? 0),
      0,
    );
    await this.#taken.once(messages, () => memory.answered(stopReason, usage, shownTokens));
    const appended = await history.whenNeeded(() =>
      messages.flatMap(({ id }) => thread.state.thread.message(id) ?? []),
    );
    const retry = stopReason === "max-output" && (await folding.foldsNext());
    return { appended, discarded, retry };
  }

  async failed(error: unknown): Promise<FailedCall> {
    const overflow = overflowIn(error);
    if (overflow === null) return { kind: "other", retry: false };
    await this.#services.memory.load();
    await this.overflowed(overflow);
    return { kind: "overflow", retry: await this.#services.folding.foldsNext() };
  }

  overflowed(report: OverflowFigures): Promise<void> {
    const { memory, request } = this.#services;
    return memory.overflowed(report, tokenBudget(request.config).limitTokens);
  }
}
