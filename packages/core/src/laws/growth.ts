/** Rounds of which the best one counts: what disturbs a measurement only ever makes it longer. */
const ROUNDS = 3;

/**
 * How many times as much of the processor's time a piece of work takes when its input is four times as long: about 4 for
 * linear work and about 16 for quadratic work, however fast the machine is and whatever else runs on it.
 *
 * @param size of the shorter input; large enough for the work to take some milliseconds.
 */
export async function growthOnQuadrupling<Input>(
  inputOf: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): Promise<number> {
  const [short, long] = [inputOf(size), inputOf(4 * size)];
  await work(short);
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    least = Math.min(least, await timeOf(() => work(short)));
    most = Math.min(most, await timeOf(() => work(long)));
  }
  return most / Math.max(1, least);
}

/** Microseconds of the processor, so that a machine that is busy with others counts as much as one that is not. */
async function timeOf(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
