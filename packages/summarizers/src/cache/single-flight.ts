import { raceSignal, ThreadfoldError } from "@threadfold/core";

interface Flight<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  waiting: number;
}

/** Runs one piece of work per key at a time. Who asks meanwhile gets the same result; when the last one gives up, the work is aborted. */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Flight<Result>>();

  /** @throws ThreadfoldError `ABORTED` when this caller's signal is aborted; the work goes on for the others. */
  run(key: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (signal?.aborted) return Promise.reject(aborted(signal));
    const flight = this.#flights.get(key) ?? this.#start(key, work);
    flight.waiting++;
    return signal === undefined ? flight.result : this.#wait(key, flight, signal);
  }

  async #wait(key: string, flight: Flight<Result>, signal: AbortSignal): Promise<Result> {
    try {
      return await raceSignal(() => flight.result, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      if (--flight.waiting === 0) {
        this.#flights.delete(key);
        flight.controller.abort(signal.reason);
      }
      throw aborted(signal);
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const controller = new AbortController();
    const flight: Flight<Result> = { controller, waiting: 0, result: work(controller.signal) };
    this.#flights.set(key, flight);
    const land = (): void => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    flight.result.then(land, land);
    return flight;
  }
}

const aborted = (signal: AbortSignal): ThreadfoldError =>
  new ThreadfoldError("ABORTED", "Summarizing was aborted.", { cause: signal.reason });
