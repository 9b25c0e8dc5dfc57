import { useEffect, useState } from "preact/hooks";

/** What is being read, and has been. */
export type Loaded<Value> =
  | { readonly state: "reading" }
  | { readonly state: "there"; readonly value: Value }
  | { readonly state: "failed"; readonly message: string };

/** Reads something when it is shown, and again when one of `on` changes. An answer that comes too late is not shown. */
export function useLoaded<Value>(read: () => Promise<Value>, on: readonly unknown[]): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ state: "reading" });
  useEffect(() => {
    let isWanted = true;
    const show = (next: Loaded<Value>): void => void (isWanted && setLoaded(next));
    read().then(
      (value) => show({ state: "there", value }),
      (error: unknown) => show({ state: "failed", message: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, on);
  return loaded;
}
