/** Measurements of a process at one point of a long run. */
export interface SoakSample {
  /** Rounds of work so far. */
  readonly round: number;
  readonly minutes: number;
  /** Size of what is reachable, measured after a garbage collection. */
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly openFiles: number;
  /** For the appends since the previous sample: 99th percentile of elapsed time, and CPU time per append. */
  readonly appendP99Ms: number;
  readonly appendCpuMs: number;
}

/** The first third of a run is warm-up: compiled code, bounded caches, database pages. */
const settled = (samples: readonly SoakSample[]): readonly SoakSample[] => samples.slice(Math.ceil(samples.length / 3));

/** Returns how much a value grows per unit of another: the slope of the least-squares line. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const common = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return spread === 0 ? 0 : common / spread;
}

const MEGABYTE = 1e6;
const slopeOf = (
  samples: readonly SoakSample[],
  x: "round" | "minutes",
  y: "heapBytes" | "rssBytes" | "openFiles",
): number => slope(settled(samples).map((sample) => [sample[x], sample[y]]));

/** Returns the ratio of the medians of the later and the earlier half of the settled part: 1 when nothing changed. */
function laterToEarlier(samples: readonly SoakSample[], of: "appendP99Ms" | "appendCpuMs"): number {
  const values = settled(samples).map((sample) => sample[of]);
  const half = Math.floor(values.length / 2);
  return medianOf(values.slice(half)) / medianOf(values.slice(0, half));
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Computes the figures of a run. */
export function soakFigures(samples: readonly SoakSample[]): Readonly<Record<string, number>> {
  const last = samples.at(-1);
  const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));
  return {
    minutes: rounded(last?.minutes ?? 0),
    "heap, MB": rounded((last?.heapBytes ?? 0) / MEGABYTE),
    "heap, bytes a round": Math.round(slopeOf(samples, "round", "heapBytes")),
    "heap, MB a minute": rounded(slopeOf(samples, "minutes", "heapBytes") / MEGABYTE, 3),
    "resident, MB": rounded((last?.rssBytes ?? 0) / MEGABYTE, 1),
    "resident, MB a minute": rounded(slopeOf(samples, "minutes", "rssBytes") / MEGABYTE, 3),
    "open files": last?.openFiles ?? 0,
    "append p99, ms": rounded(samples.at(-1)?.appendP99Ms ?? 0),
    "append p99, later to earlier": rounded(laterToEarlier(samples, "appendP99Ms")),
    "append CPU, later to earlier": rounded(laterToEarlier(samples, "appendCpuMs")),
  };
}

/**
 * Minutes from which on small slopes are meaningful. Before that the engine is still warming up, and only a leak of
 * whole threads stands out: they take some 60 kB each.
 */
const LONG_MINUTES = 30;
const SHORT_HEAP_BYTES_A_ROUND = 40_000;
/** A store remembers where each of its newest 4,096 threads ends, with the ids of up to 32 messages. */
const HEAP_BYTES_A_ROUND = 4_000;
const RSS_MB_A_MINUTE = 1;
const APPEND_GROWTH = 1.2;

/** Describes what grew that should not have. */
export function soakProblems(samples: readonly SoakSample[]): readonly string[] {
  const { minutes = 0, ...figures } = soakFigures(samples);
  const files = new Set(settled(samples).map(({ openFiles }) => openFiles));
  const isLong = minutes >= LONG_MINUTES;
  const over = (name: string, limit: number): readonly string[] =>
    (figures[name] ?? Number.NaN) <= limit ? [] : [`${name}: ${figures[name]}, and may be at most ${limit}`];
  return [
    ...over("heap, bytes a round", isLong ? HEAP_BYTES_A_ROUND : SHORT_HEAP_BYTES_A_ROUND),
    ...(isLong ? over("resident, MB a minute", RSS_MB_A_MINUTE) : []),
    ...(isLong ? over("append CPU, later to earlier", APPEND_GROWTH) : []),
    ...(files.size === 1 ? [] : [`open files: ${[...files].join(", ")} in turn`]),
  ];
}
