import {
  FolderCount,
  type ItemSpeaker,
  LongMap,
  type Message,
  type NewItem,
  type Pin,
  type Steps,
  type StructuredSummary,
  type SummarizeRequest,
  type SummaryChange,
  type SummarySection,
  shownPath,
} from "@threadfold/core";
import { excerpt } from "../../text/excerpt.ts";
import type { CallReading } from "../reading/call-reading.ts";
import type { Refusal, ResultReading } from "../reading/result-reading.ts";
import type { Place, Speech } from "../reading/speech.ts";

/** An item that competes for a place in the summary. */
export type Candidate = {
  [Section in SummarySection]: {
    readonly section: Section;
    readonly item: NewItem<Section>;
    /** Rank within its section: higher values are kept first. Not comparable between sections. */
    readonly worth: number;
    /** Id of the item of the previous summary that this one replaces, on evidence in the span. */
    readonly supersedes?: string;
    /** True for an item that is kept regardless of its section's share, as long as the summary has room for it. */
    readonly sure?: boolean;
    /**
     * For an identifier or its line: the names in it, with the odds that each is needed again. Used instead of `worth`.
     */
    readonly names?: ReadonlyMap<string, number>;
    /** Index among all candidates; set when they are ranked. */
    readonly sequence?: number;
  };
}[SummarySection];

/** Candidates that are put in order in one step, in a millisecond or less. */
const AT_A_TIME = 1_024;

/** Returns candidates by worth, highest first, in steps: those of a long span are too many to sort at once. */
export function* ranked(candidates: readonly Candidate[]): Steps<readonly Candidate[]> {
  let sorted: (readonly Candidate[])[] = [];
  for (let from = 0; from < candidates.length; from += AT_A_TIME) {
    const some = candidates.slice(from, from + AT_A_TIME);
    const numbered = some.map((candidate, index): Candidate => ({ ...candidate, sequence: from + index }));
    sorted.push(numbered.sort((one, other) => other.worth - one.worth));
    yield;
  }
  while (sorted.length > 1) {
    const merged: (readonly Candidate[])[] = [];
    for (let at = 0; at < sorted.length; at += 2)
      merged.push(yield* mergedByWorth(sorted[at] as readonly Candidate[], sorted[at + 1] ?? []));
    sorted = merged;
  }
  return sorted[0] ?? [];
}

/** Of two with the same worth, the one that was found first stays first. */
function* mergedByWorth(first: readonly Candidate[], second: readonly Candidate[]): Steps<readonly Candidate[]> {
  const merged: Candidate[] = [];
  let [one, other] = [0, 0];
  while (one < first.length || other < second.length) {
    const [a, b] = [first[one], second[other]];
    const isSecond = a === undefined || (b !== undefined && b.worth > a.worth);
    merged.push((isSecond ? b : a) as Candidate);
    if (isSecond) other++;
    else one++;
    if (merged.length % AT_A_TIME === 0) yield;
  }
  return merged;
}

/** The author of a handoff: whoever compacted the log, or a sub-agent that reports back. */
export type HandoffSpeaker = Exclude<ItemSpeaker, "agent" | "user">;

/** What collectors know before the span is read. */
export type SpanStart = Pick<SummarizeRequest, "messages" | "previous" | "instructions">;

/** What collectors know when they return their findings. */
export interface HarvestContext {
  readonly messages: readonly Message[];
  readonly previous: StructuredSummary | null;
  /** The state of the span's last turn; undefined when nothing follows the span. */
  readonly lastTurn?: SummarizeRequest["lastTurn"] | undefined;
  readonly pins: readonly Pin[];
  /** The cap of the rendered summary, in tokens as counted by `countTokens`. */
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
}

/** A collector's findings: items that compete for the room of their section, and changes that do not compete. */
export interface Harvest {
  readonly candidates?: readonly Candidate[];
  readonly changes?: readonly SummaryChange[];
}

/**
 * Finds one kind of thing in a span. It is shown every piece of the span once, in order, and then asked for its
 * findings. To look for a new kind of thing, add a collector and list it in `harvest-span.ts`.
 */
export interface SpanCollector {
  /** Receives what a person typed. */
  userSpeech?(speech: Speech): void;
  systemSpeech?(speech: Speech): void;
  /** Receives what the agent said. */
  agentSpeech?(speech: Speech): void;
  /** Receives a handoff or summary in the log, or a sub-agent's report; also shown as other text or as a result. */
  handoff?(text: string, place: Place, by: HandoffSpeaker): void;
  /** Receives the agent's thoughts, text inserted by the harness, and handoffs. */
  otherText?(text: string, place: Place): void;
  call?(call: CallReading): void;
  result?(result: ResultReading): void;
  /** Receives the subject of a commit that the harness made. */
  commit?(subject: string, place: Place): void;
  /** Receives a result that only says that its call was refused; it is not shown as a result. */
  refusal?(refusal: Refusal): void;
  /** Does long-running work before the harvest, in steps. */
  prepare?(context: HarvestContext): Steps<void>;
  harvest(context: HarvestContext): Harvest;
}

/** The paths of the files that a span touched, and the folder that most of them share. */
export class SpanPaths {
  readonly #known = new LongMap<true>();
  readonly #folders = new FolderCount();

  /** @param known paths of the previous summary. */
  constructor(known: Iterable<string>) {
    for (const path of known) this.note(path);
  }

  note(path: string): void {
    if (this.#known.has(path)) return;
    this.#known.set(path, true);
    this.#folders.add(path);
  }

  /** The shared folder, with a slash at its end; empty when there is none. */
  get folder(): string {
    return this.#folders.shared;
  }

  /** Returns a text with the shared folder left out of paths. The shared folder may change with the next fold. */
  shortened(text: string): string {
    const { folder } = this;
    return folder === "" ? text : text.replaceAll(folder, shownPath(folder, folder));
  }

  /**
   * Like {@link shortened}, but on one line. If that takes more than its room, other long paths are reduced to their
   * ends, which is where they differ.
   *
   * @param room the length of the line, in UTF-16 code units.
   */
  line(text: string, room: number): string {
    const whole = excerpt(this.shortened(text), room);
    if (!whole.endsWith("…")) return whole;
    const ends = this.shortened(text).replace(ABSOLUTE_PATH, (path) =>
      path.length < LONG_PATH ? path : `/…${LAST_NAMES.exec(path)?.[0] ?? path}`,
    );
    return excerpt(ends, room);
  }
}

/** A longer path, in UTF-16 code units, leaves no room on a line for what was done with it. */
const LONG_PATH = 50;
const ABSOLUTE_PATH = /(?<![\w.…:/])(?:\/[\w.@+-]+){5,}/g;
const LAST_NAMES = /(?:\/[^/]+){3}$/;
