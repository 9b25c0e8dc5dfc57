/**
 * Tells a listener of a host's own, and hears nothing of what becomes of it: what it throws, now or, when it is an
 * `async` function, later, must break nothing.
 */
export function tellListener<Event>(listener: ((event: Event) => unknown) | undefined, event: Event): void {
  try {
    const answer: unknown = listener?.(event);
    if (answer instanceof Promise) answer.catch(ignore);
  } catch {
    // A listener's failure is its own.
  }
}

const ignore = (): void => undefined;
