import { AppendOnlySet, type Part, type SystemEntry, type ToolDefinition } from "@threadfold/core";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import type { RenderInput } from "../input/render-input.ts";
import type { Draft } from "../neutral/draft.ts";
import type { WarningLog } from "../warnings/warning-log.ts";

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

/** The ids that calls before a piece of a request were sent with. */
export interface CallIdsBefore {
  readonly settled: SentCallIds;
  /** Those that come after the settled ones. */
  readonly since: readonly string[];
}

/** A number up to which all ids of a base are taken. */
interface KnownNumber {
  readonly number: number;
  /** How many ids there were when it was found. */
  readonly among: number;
}

/** The ids that the calls of a growing request were sent with. An immutable value, like the request. */
export class SentCallIds {
  readonly #ids: AppendOnlySet<string>;
  /** By the id that was used again. Shared by values that grew from one another. */
  readonly #numbers: Map<string, KnownNumber>;

  private constructor(ids: AppendOnlySet<string>, numbers: Map<string, KnownNumber>) {
    this.#ids = ids;
    this.#numbers = numbers;
  }

  static none(): SentCallIds {
    return new SentCallIds(AppendOnlySet.empty(), new Map());
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  append(ids: readonly string[]): SentCallIds {
    const grown = this.#ids.append(ids);
    return new SentCallIds(grown, grown.items.family === this.#ids.items.family ? this.#numbers : new Map());
  }

  /** Returns a number up to which the numbered ids of a base are taken: 1 stands for the base itself. */
  lastNumber(base: string): number {
    const known = this.#numbers.get(base);
    return known !== undefined && known.among <= this.#ids.items.length ? known.number : 1;
  }

  /** Notes that all numbers of a base up to this one are taken, so that nobody counts up to it again. */
  noteNumber(base: string, number: number): void {
    this.#numbers.set(base, { number, among: this.#ids.items.length });
  }
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
