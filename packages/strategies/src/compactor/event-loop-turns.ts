// Kept from when this was loaded: a host's tests that fake timers would otherwise hold up every fold.
const later = setTimeout;
const now = performance.now.bind(performance);

/** So long may work hold the event loop up, in milliseconds. Letting it turn takes one. */
const PATIENCE_MS = 5;

/** Lets the event loop turn between the pieces of a long piece of work, so that timers that are due are heard. */
export class EventLoopTurns {
  #heldSince = now();

  /** Lets it turn when it was held up for a while. Timing says when others run, and nothing of what comes out. */
  async take(): Promise<void> {
    if (now() - this.#heldSince < PATIENCE_MS) return;
    await new Promise<void>((resolve) => {
      later(resolve, 0);
    });
    this.#heldSince = now();
  }
}
