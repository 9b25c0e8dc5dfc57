/** Settles as the work does, or rejects with the signal's reason as soon as it is aborted, whether the work listens or not. */
export function raceSignal<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", leave));
  });
}

/** Waits so many milliseconds, or rejects with the signal's reason. */
export async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await raceSignal(
      () =>
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, milliseconds);
        }),
      signal,
    );
  } finally {
    clearTimeout(timer);
  }
}
