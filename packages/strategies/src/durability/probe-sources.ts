import { type DeterminismProbe, type ProbeVerdict, type ReplayableResult, withinLimit } from "@threadfold/core";

/** How many sources are looked at side by side. */
const CONCURRENCY = 8;
/** No look may hold a fold up longer than this by default. In milliseconds. */
const TIME_LIMIT_MS = 2_000;

/**
 * Looks at the sources of replayable results, a few at a time. A probe that throws or takes too long has verified
 * nothing.
 *
 * @returns a verdict for each result, in order.
 * @throws the signal's reason when it fires; nothing is left running that heeds its own signal.
 */
export async function probeSources(
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

/** A probe is foreign code: an answer that is none verifies nothing. */
const checked = (verdict: ProbeVerdict): ProbeVerdict =>
  verdict === "matches" || verdict === "changed" ? verdict : "unverifiable";
