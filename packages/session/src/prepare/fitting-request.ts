import {
  BudgetInfeasibleError,
  type CompactionOutcome,
  type ContextCompactionConfig,
  tokenBudget,
} from "@threadfold/core";
import type { RehydrationResult } from "@threadfold/rehydration";
import type { SessionFolding } from "../fold/session-folding.ts";
import type { PreparedRequest, PrepareOptions } from "../host/prepared-request.ts";
import type { RequestSettings } from "../request/request-settings.ts";
import type { SessionPlan } from "../thread/session-plan.ts";
import type { SessionThread } from "../thread/session-thread.ts";
import type { RenderedRequest, RequestRecorder } from "./request-recorder.ts";

/** What preparing a request depends on. */
export interface FittingRequestPorts {
  readonly folding: SessionFolding;
  readonly recorder: RequestRecorder;
  readonly request: RequestSettings;
  readonly thread: SessionThread;
  readonly plan: SessionPlan;
  readonly rehydrate: () => Promise<readonly RehydrationResult[]>;
  readonly whenNeeded: <Result>(work: () => Promise<Result> | Result) => Promise<Result>;
}

/** Maximum number of folds for one request, if messages are appended during each. */
const MAX_FOLDS = 3;

/**
 * Folds if a fold is due, and returns the next request if it fits its budget or may go out regardless.
 *
 * @throws BudgetInfeasibleError when it does not fit; the signal's reason, or what a port threw, when that is why it
 * was not folded; what the journal throws.
 */
export async function fittingRequest(ports: FittingRequestPorts, options: PrepareOptions): Promise<PreparedRequest> {
  try {
    return await foldedToFit(ports, options);
  } finally {
    ports.folding.background.startNext();
  }
}

async function foldedToFit(
  ports: FittingRequestPorts,
  { onOverBudget = "barest", ...options }: PrepareOptions,
): Promise<PreparedRequest> {
  const { folding, thread, recorder, request } = ports;
  let outcome: CompactionOutcome;
  for (let folds = 1; ; folds++) {
    const { version } = thread.state.thread;
    outcome = await folding.compact(options, "request");
    const prepared = await handOut(ports, outcome, onOverBudget === "send");
    if (prepared !== null) return prepared;
    if (folds === MAX_FOLDS || thread.state.thread.version === version) break;
  }
  // A caller that aborts wants nothing more to happen, so no other fold is made instead.
  options.signal?.throwIfAborted();
  if (onOverBudget === "barest" && (outcome.type === "failed" || outcome.type === "conflict")) {
    const floor = await folding.foldToFloor(options);
    const told = floor.type === "committed" ? { ...floor, problem: endOf(outcome) } : floor;
    const prepared = await handOut(ports, told, false);
    if (prepared !== null) return prepared;
    options.signal?.throwIfAborted();
    if (floor.type === "infeasible" || floor.type === "failed") outcome = floor;
  }
  const refused = await ports.whenNeeded(() => recorder.render(ports.plan.current, []));
  await recorder.refuse(refused, outcome);
  // Not a problem of the budget: what failed may succeed when the host tries again.
  if (outcome.type === "failed") throw outcome.cause;
  throw budgetError(outcome, refused, request.config);
}

/** Returns the request under the current plan; null when it is over its budget and must not go out. */
async function handOut(
  { recorder, plan, rehydrate, whenNeeded }: FittingRequestPorts,
  outcome: CompactionOutcome,
  whatever: boolean,
): Promise<PreparedRequest | null> {
  const bare = await whenNeeded(() => recorder.render(plan.current, []));
  if (bare.overBudget && !whatever) return null;
  const rehydrated = bindsReasoning(bare) ? [] : await rehydrate();
  return whenNeeded(async () => {
    const full = recorder.render(plan.current, rehydrated);
    // Rehydrated content is for this request only, so it is the first thing to leave out.
    const made = full.overBudget && rehydrated.length > 0 ? recorder.render(plan.current, []) : full;
    return made.overBudget && !whatever ? null : recorder.record(made, outcome);
  });
}

/**
 * True if the model's reasoning is bound to everything before it. Content brought back for one request and gone from
 * the next would invalidate the reasoning in between; the model has tools to read folded content instead.
 */
const bindsReasoning = ({ rendered }: RenderedRequest): boolean =>
  rendered.rendering.manifest.reasoningBinding === "prefix-bound";

const SEND = 'or accept the request as it is with onOverBudget: "send"';

function budgetError(
  outcome: CompactionOutcome,
  { rendered }: RenderedRequest,
  config: ContextCompactionConfig,
): BudgetInfeasibleError {
  const { limitTokens, maxInputTokens, outputReserveTokens, safetyBufferTokens } = tokenBudget(config);
  const cap = { maxInputTokens, outputReserveTokens, safetyBufferTokens };
  if (outcome.type === "infeasible")
    return new BudgetInfeasibleError(outcome.budget, outcome.indispensable, { cap, outcome: outcome.type });
  const { system, tools, pins, overhead } = rendered.verification.breakdown;
  const newest = rendered.verification.tokens - system - tools - pins - overhead;
  return new BudgetInfeasibleError(
    limitTokens,
    { system, tools, pins, newest, overhead },
    { cap, outcome: outcome.type, unfolded: endOf(outcome), ...wayOut(outcome) },
  );
}

/** Describes how folding ended, as a clause. */
function endOf(outcome: CompactionOutcome): string {
  switch (outcome.type) {
    case "vetoed":
      return `the hook ${outcome.hook} vetoed it (${outcome.reason})`;
    case "disabled":
      return outcome.reason;
    case "failed":
      return `the fold failed (${outcome.problem})`;
    case "conflict":
      return "other sessions committed plans first";
    case "refused":
      return "every plan would break a rule of the provider or hide a pin";
    default:
      return `folding ended with "${outcome.type}"`;
  }
}

function wayOut(outcome: CompactionOutcome): { readonly hint?: string } {
  switch (outcome.type) {
    case "vetoed":
      return { hint: `Let the hook allow folds of requests over the budget, raise maxInputTokens, ${SEND}.` };
    case "disabled":
      return { hint: `Switch folding on, raise maxInputTokens, ${SEND}.` };
    case "conflict":
      return { hint: "Prepare again." };
    default:
      return {};
  }
}
