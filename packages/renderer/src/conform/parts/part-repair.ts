import type { Part } from "@threadfold/core";
import type { Draft } from "../../neutral/draft.ts";
import type { Conformance } from "../conformance.ts";

/** Where a part stands. */
export interface PartPlace {
  readonly draft: Draft;
  /** True when content that came later stands before it: a result that was moved up to its call. */
  readonly behindMove: boolean;
}

/** Makes parts of one kind legal: the part itself when nothing is wrong, another one, or null to leave it out. */
export interface PartRepair<Kind extends Part> {
  readonly name: string;
  apply(part: Kind, place: PartPlace, conformance: Conformance): Part | null;
}
