import { emptyPlan, unreported } from "@threadfold/core";
import { knownCount } from "@threadfold/tokenizers";
import { afterReport, afterSending, NO_USAGE, providerTokens, type UsageState } from "@threadfold/turn";
import { asThreadId, type ImportedSession, importSessionFile, loadTokenizer, ThreadfoldError } from "threadfold";
import { sessionFiles } from "./peers-sessions.ts";
import { type CountedCall, countedCalls } from "./token-accuracy.ts";

/** By how much a session underestimates its requests compared with what the provider reports. */
export interface Undercount {
  readonly calls: number;
  /** The largest undercount of a first request to a model, as a share of the reported tokens; 0 if there was none. */
  readonly first: number;
  /** The same, beyond the margin that is kept free until something was reported. */
  readonly firstBeyondMargin: number;
  /** The largest undercount of a request after a report. */
  readonly reported: number;
}

const PLAN = emptyPlan(asThreadId("undercount"), "none");

/** Estimates each call as a session whose plan does not change would, with this counter. Null if there are no calls. */
export function undercountOf(calls: readonly CountedCall[], counter: string): Undercount | null {
  let [first, firstBeyondMargin, reported] = [0, 0, 0];
  let model: string | undefined;
  let state: UsageState = NO_USAGE;
  for (const call of calls) {
    const known = knownCount(counter, call.model, "");
    const isNew = call.model !== model;
    if (isNew) state = { ...NO_USAGE, estimate: unreported(known.slope) };
    model = call.model;
    const tokens = providerTokens(state, PLAN, call.counted);
    const missing = (taken: number): number => Math.max(0, 1 - taken / call.reported);
    if (isNew) {
      first = Math.max(first, missing(tokens));
      firstBeyondMargin = Math.max(firstBeyondMargin, missing((1 + known.margin) * tokens));
    } else reported = Math.max(reported, missing(tokens));
    const sent = afterSending(state, { planVersion: PLAN.version, counted: call.counted });
    const { outputTokens, answered } = call;
    state = afterReport(sent, { inputTokens: call.reported, outputTokens }, answered);
  }
  return calls.length === 0 ? null : { calls: calls.length, first, firstBeyondMargin, reported };
}

/** The undercount in one recorded session. */
export interface SessionUndercount extends Undercount {
  /** Folder and file of the recording. */
  readonly session: string;
  readonly format: ImportedSession["format"];
  readonly model: string;
}

/**
 * Returns the undercounts of recorded sessions that report usage, with the default counter. Empty without recordings.
 */
export async function sessionUndercounts(): Promise<readonly SessionUndercount[]> {
  const counter = await loadTokenizer("character-classes");
  const found: SessionUndercount[] = [];
  for (const { path } of sessionFiles()) {
    const session = await imported(path);
    const undercount = session === null ? null : undercountOf(countedCalls(session, counter), counter.id);
    if (session === null || undercount === null) continue;
    const { format, model = "unknown" } = session;
    found.push({ session: path.split("/").slice(-2).join("/"), format, model, ...undercount });
  }
  return found;
}

async function imported(path: string): Promise<ImportedSession | null> {
  try {
    return await importSessionFile(path);
  } catch (problem) {
    if (ThreadfoldError.isInstance(problem)) return null;
    throw problem;
  }
}
