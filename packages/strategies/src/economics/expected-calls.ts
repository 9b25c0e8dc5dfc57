/**
 * How many more model calls a session is expected to make: as many as it has made, and the prior. This is the mean of
 * what remains when the number of calls follows a Lomax distribution of shape 2 and scale `prior`: sessions are of every
 * length, and the longer one has lasted the longer it is likely to go on.
 *
 * @param calls model calls so far.
 * @param prior what a session is expected to make when nothing is known of it yet.
 */
export function expectedRemainingCalls(calls: number, prior: number): number {
  return calls + prior;
}
