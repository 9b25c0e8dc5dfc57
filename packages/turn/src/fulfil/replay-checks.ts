import {
  type AgentThread,
  type DeterminismProbe,
  type ProbeVerdict,
  type ReplayableResult,
  type ThreadShape,
  withinLimit,
} from "@threadfold/core";
import { callInput } from "./fulfilment.ts";

/** What one fold knows of the sources of replayable results. Every source is checked once at most. */
export interface ReplayChecks {
  /** What the check of a result's source found; undefined before the check. */
  verdictOf(ordinal: number): ProbeVerdict | undefined;
  /**
   * Checks the sources of those results that were not checked yet.
   *
   * @returns true when each of them matches.
   * @throws the signal's reason when it fires.
   */
  look(ordinals: readonly number[]): Promise<boolean>;
  /** Ordinals of the results whose source was checked and does not match. */
  readonly drifted: readonly number[];
}

/** After this many rounds of checks, what is still unknown counts as unverifiable, so that a fold ends. */
const MAX_ROUNDS = 4;

/** Checks for one fold. Without a probe nothing can be verified. */
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
/** How long one check may hold up a fold by default, in milliseconds. */
const TIME_LIMIT_MS = 2_000;

/**
 * Checks the sources of replayable results, a few at a time. A probe that throws or takes too long has verified
 * nothing.
 *
 * @returns a verdict for each result, in order.
 * @throws the signal's reason when it fires; nothing that heeds its own signal is left running.
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

/** A probe is foreign code: an answer of another shape verifies nothing. */
const checked = (verdict: ProbeVerdict): ProbeVerdict =>
  verdict === "matches" || verdict === "changed" ? verdict : "unverifiable";
