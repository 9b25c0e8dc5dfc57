import {
  type CompletionModel,
  type CompletionRequest,
  type CompletionResult,
  type ModelMeter,
  modelCallError,
  modelCallFailure,
  raceSignal,
  withinLimit,
} from "@threadfold/core";
import { asModelCallError } from "./client-model.ts";

/** Retries and time limits of calls to a model. All times are in milliseconds. */
export interface CallLimits {
  /** How many times a call that may succeed later is retried. */
  readonly retries: number;
  /** The first wait; each further one is twice as long. */
  readonly minRetryDelayMs: number;
  /** The longest wait. If the provider asks for a longer one, the call is not retried. */
  readonly maxRetryDelayMs: number;
  /** How long a call may take before it counts as failed. */
  readonly callTimeoutMs: number;
}

/** Wraps a model so that each request to it is reported, and the usage of its answer. */
export function meteredModel(model: CompletionModel, meter: ModelMeter | undefined): CompletionModel {
  if (meter === undefined) return model;
  return {
    id: model.id,
    async complete(request) {
      meter.asked();
      const result = await model.complete(request);
      if (result.usage !== undefined) meter.answered(result.usage);
      return result;
    },
  };
}

/**
 * Calls a model. A call that fails for a temporary reason is retried after a growing wait, or after the wait that the
 * provider asks for (L5). An aborted call is not retried.
 *
 * @throws ThreadfoldError `MODEL_CALL_FAILED` when the call fails for good, or the signal's reason when it is aborted.
 */
export async function callModel(
  model: CompletionModel,
  request: Omit<CompletionRequest, "signal">,
  limits: CallLimits,
  signal: AbortSignal,
): Promise<CompletionResult> {
  // Loaded with the first call: many programs that import the library never make one.
  const { default: pRetry } = await import("p-retry");
  return pRetry(() => callOnceAsAllowed(model, request, limits, signal), {
    retries: limits.retries,
    minTimeout: limits.minRetryDelayMs,
    maxTimeout: limits.maxRetryDelayMs,
    factor: 2,
    signal,
    onFailedAttempt: async ({ error, retriesLeft, retryDelay }) => {
      const wait = (modelCallFailure(error)?.retryAfterMs ?? 0) - retryDelay;
      if (retriesLeft > 0 && wait > 0 && mayPass(error, limits)) await waitFor(wait, signal);
    },
    shouldRetry: ({ error }) => mayPass(error, limits),
  });
}

function mayPass(error: unknown, limits: CallLimits): boolean {
  const failure = modelCallFailure(error);
  if (failure === null || failure.kind === "overflow" || failure.kind === "rejected") return false;
  return (failure.retryAfterMs ?? 0) <= limits.maxRetryDelayMs;
}

/** Some models reject a temperature; they are called again without it. */
async function callOnceAsAllowed(...call: Parameters<typeof callOnce>): Promise<CompletionResult> {
  const [model, { temperature, ...request }, limits, signal] = call;
  try {
    return await callOnce(...call);
  } catch (error) {
    if (temperature === undefined || !refusesTemperature(error)) throw error;
    return callOnce(model, request, limits, signal);
  }
}

function refusesTemperature(error: unknown): boolean {
  const failure = modelCallFailure(error);
  return failure?.kind === "rejected" && failure.status === 400 && /temperature/i.test((error as Error).message);
}

async function callOnce(
  model: CompletionModel,
  request: Omit<CompletionRequest, "signal">,
  { callTimeoutMs }: CallLimits,
  signal: AbortSignal,
): Promise<CompletionResult> {
  try {
    return await withinLimit((either) => model.complete({ ...request, signal: either }), {
      ...{ milliseconds: callTimeoutMs, waitedFor: "the model", option: "callTimeoutMs", timers: globalThis, signal },
      late: () => modelCallError(`The model did not answer within ${callTimeoutMs} ms.`, { kind: "timeout" }),
    });
  } catch (error) {
    signal.throwIfAborted();
    throw asModelCallError(error);
  }
}

/** Waits this many milliseconds, or rejects with the signal's reason. */
async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await raceSignal(
      () =>
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, milliseconds);
        }),
      signal,
    );
  } finally {
    clearTimeout(timer);
  }
}
