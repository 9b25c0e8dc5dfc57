import type { ErasedRow } from "@threadfold/inspection/rows";
import { count, dayAndTime } from "../format/figures.ts";

/** All that is left of an erased thread: the record of its erasure. */
export const ErasedView = ({ id, erased }: { readonly id: string; readonly erased: ErasedRow }) => (
  <main class="erased">
    <h1>{id} was erased</h1>
    <p>
      {dayAndTime(erased.at)} UTC, by {erased.actor}
      {erased.reason !== "" && (
        <>
          : <q>{erased.reason}</q>
        </>
      )}
      .
    </p>
    <p class="quiet">
      {count(erased.entries, "entry", "entries")}, {count(erased.plans, "plan")} and{" "}
      {count(erased.artifacts, "artifact")} are gone
      {erased.keyShredded && ", and the key that they were sealed with was shredded"}. Nothing that was said is left to
      show.
    </p>
  </main>
);
