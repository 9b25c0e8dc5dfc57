import {
  type AgentThread,
  type DeterminismProbe,
  type ProbeVerdict,
  type ReplayableResult,
  type ThreadShape,
  withinLimit,
} from "@threadfold/core";
import { callInput } from "./fulfilment.ts";

/** What one fold knows about the sources of replayable results. Every source is checked at most once. */
export interface ReplayChecks {
  /** Returns the verdict on a result's source; undefined before it is checked. */
  verdictOf(ordinal: number): ProbeVerdict | undefined;
  /**
   * Checks the sources of these results, except those that were checked before.
   *
   * @returns true if all sources checked now match.
   * @throws the signal's reason when it is aborted.
   */
  look(ordinals: readonly number[]): Promise<boolean>;
  /** Ordinals of the results whose source was checked and does not match. */
  readonly drifted: readonly number[];
}

/** Number of rounds of checks after which unchecked sources count as unverifiable, so that a fold ends. */
const MAX_ROUNDS = 4;

/** Creates the checks of one fold. Without a probe, nothing can be verified. */
export function replayChecks(
  thread: AgentThread,
  shape: ThreadShape,
  probe?: DeterminismProbe,
  signal?: AbortSignal,
): ReplayChecks {
  const verdicts = new Map<number, ProbeVerdict>();
  let rounds = 0;
  const replayable = (ordinal: number): ReplayableResult | null => {
    const message = thread.messageAt(ordinal);
    const part = message?.parts[0];
    if (message === undefined || part?.type !== "tool-result" || part.result.determinism === undefined) return null;
    const { toolName, determinism } = part.result;
    return { messageId: message.id, toolName, input: callInput(message, thread, shape), determinism };
  };
  return {
    verdictOf(ordinal) {
      const known = verdicts.get(ordinal);
      if (known !== undefined) return known;
      return probe === undefined || rounds >= MAX_ROUNDS || replayable(ordinal) === null ? "unverifiable" : undefined;
    },
    async look(ordinals) {
      const unknown = ordinals.filter((ordinal) => !verdicts.has(ordinal));
      if (probe === undefined || unknown.length === 0) return true;
      rounds++;
      const found = await probeSources(
        probe,
        unknown.map((ordinal) => replayable(ordinal) as ReplayableResult),
        signal,
      );
      unknown.forEach((ordinal, index) => verdicts.set(ordinal, found[index] as ProbeVerdict));
      return found.every((verdict) => verdict === "matches");
    },
    get drifted() {
      return [...verdicts].filter(([, verdict]) => verdict !== "matches").map(([ordinal]) => ordinal);
    },
  };
}

/** How many sources are checked in parallel. */
const CONCURRENCY = 8;
/** Default time limit for one check, in milliseconds. */
const TIME_LIMIT_MS = 2_000;

/**
 * Checks the sources of replayable results, a few at a time. A probe that throws or takes too long verifies nothing.
 *
 * @returns a verdict for each result, in order.
 * @throws the signal's reason when it is aborted; probes that respect their own signal are not left running.
 */
async function probeSources(
  probe: DeterminismProbe,
  results: readonly ReplayableResult[],
  signal?: AbortSignal,
): Promise<readonly ProbeVerdict[]> {
  const verdicts: ProbeVerdict[] = [];
  const waiting = results.entries();
  const work = async (): Promise<void> => {
    for (const [index, result] of waiting) {
      signal?.throwIfAborted();
      verdicts[index] = await probeOne(probe, result, signal);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  signal?.throwIfAborted();
  return verdicts;
}

async function probeOne(
  probe: DeterminismProbe,
  result: ReplayableResult,
  signal: AbortSignal | undefined,
): Promise<ProbeVerdict> {
  try {
    const verdict = await withinLimit((ended) => probe.probe(result, ended), {
      ...{ milliseconds: probe.timeLimitMs ?? TIME_LIMIT_MS, waitedFor: "the determinism probe", timers: globalThis },
      option: "determinismProbe.timeLimitMs",
      ...(signal !== undefined && { signal }),
    });
    return checked(verdict);
  } catch {
    return "unverifiable";
  }
}

/** Checks a verdict, because a probe is third-party code: any other value verifies nothing. */
const checked = (verdict: ProbeVerdict): ProbeVerdict =>
  verdict === "matches" || verdict === "changed" ? verdict : "unverifiable";
