import { signal } from "@preact/signals";

/** True while the browser prints: then lists stand in the document as they are, as far as anybody would read them. */
export const isPrinting = signal(false);

/** Follows what the browser does. */
export function followPrinting(): void {
  addEventListener("beforeprint", () => {
    isPrinting.value = true;
  });
  addEventListener("afterprint", () => {
    isPrinting.value = false;
  });
}
