import type { Summarizer } from "threadfold";

/** A summarizer that is asked, and never answers with anything but an error. */
export function failingSummarizer(): Summarizer & { readonly asked: number } {
  let asked = 0;
  return {
    id: "down",
    get asked() {
      return asked;
    },
    summarize: () => {
      asked++;
      return Promise.reject(new Error("The summarizer is down."));
    },
  };
}
