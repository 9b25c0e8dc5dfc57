import type { Part, SystemEntry, ToolDefinition } from "@threadfold/core";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import type { RenderInput } from "../input/render-input.ts";
import type { Draft } from "../neutral/draft.ts";
import type { WarningLog } from "../warnings/warning-log.ts";
import type { CallIdsBefore } from "./assign-call-ids.ts";

/** A request that is being made legal. */
export interface DraftRequest {
  readonly system: readonly SystemEntry[];
  readonly tools: readonly ToolDefinition[];
  readonly drafts: readonly Draft[];
}

/** Everything that a repair may read. */
export interface Conformance {
  readonly requirements: FormatRequirements;
  readonly input: RenderInput;
  readonly warnings: WarningLog;
  /** Which ends of the whole request the drafts include. */
  readonly ends: RequestEnds;
}

/**
 * Makes one thing legal. A repair returns the request unchanged when it finds nothing, and records a warning when it
 * changes something. It decides from what came before, so that a longer log does not change what was rendered earlier.
 */
export interface Repair {
  readonly name: string;
  /** The only end of a request at which it has something to do; anywhere by default. */
  readonly end?: keyof RequestEnds;
  apply(request: DraftRequest, conformance: Conformance): DraftRequest;
}

/** Which ends of a request a piece of it includes: a growing request is made legal piece by piece. */
export interface RequestEnds {
  /** It begins with the system text and tools, and with the first message. */
  readonly first: boolean;
  /** It ends with the newest message. */
  readonly last: boolean;
  /** Number of cache marks in the messages before it; none by default. */
  readonly marksBefore?: number;
  /** The ids with which the calls before it are sent; none by default. */
  readonly callIdsBefore?: CallIdsBefore;
}

/** Replaces the messages of a request. */
export const withDrafts = (request: DraftRequest, drafts: readonly Draft[]): DraftRequest =>
  drafts === request.drafts ? request : { ...request, drafts };

/** Replaces drafts one by one; null leaves one out. Returns the same array when nothing changed. */
export function mapDrafts(
  drafts: readonly Draft[],
  change: (draft: Draft, index: number) => Draft | null,
): readonly Draft[] {
  let changed: Draft[] | undefined;
  for (let index = 0; index < drafts.length; index++) {
    const draft = drafts[index] as Draft;
    const next = change(draft, index);
    if (next !== draft && changed === undefined) changed = drafts.slice(0, index);
    if (next !== null) changed?.push(next);
  }
  return changed ?? drafts;
}

/** The position of a part. */
export interface PartPlace {
  readonly draft: Draft;
  /** True when content that came later now precedes it: a result that was moved up to its call. */
  readonly behindMove: boolean;
}

/**
 * Makes parts of one kind legal: returns the part itself when nothing is wrong, a replacement, or null to leave it out.
 */
export interface PartRepair<Kind extends Part> {
  readonly name: string;
  apply(part: Kind, place: PartPlace, conformance: Conformance): Part | null;
}
