import { useEffect, useState } from "preact/hooks";

/** A value that is being read, was read, or could not be read. */
export type Loaded<Value> =
  | { readonly state: "reading" }
  | { readonly state: "there"; readonly value: Value }
  | { readonly state: "failed"; readonly message: string };

/** Reads a value when the component appears and whenever one of `on` changes. Late answers are ignored. */
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
