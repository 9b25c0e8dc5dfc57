import type {
  ItemSpeaker,
  Message,
  NewItem,
  Pin,
  Steps,
  StructuredSummary,
  SummarizeRequest,
  SummaryChange,
  SummarySection,
} from "@threadfold/core";
import type { CallReading } from "../reading/call-reading.ts";
import type { Refusal, ResultReading } from "../reading/result-reading.ts";
import type { Place, Speech } from "../reading/speech.ts";

/** An item that competes for a place in the summary. */
export type Candidate = {
  [Section in SummarySection]: {
    readonly section: Section;
    readonly item: NewItem<Section>;
    /** Within a section, what is worth more is kept first. Figures of different sections do not compare. */
    readonly worth: number;
    /** Id of the previous summary's item that this one takes the place of, on evidence in the span. */
    readonly supersedes?: string;
    /** Set on what stands in the summary whatever its section's share, as long as the whole has room for it. */
    readonly sure?: boolean;
    /** What an identifier or its line names, with the odds that each is needed again: they decide instead of a worth. */
    readonly names?: ReadonlyMap<string, number>;
    /** Place among all that was found; set when candidates are ranked. */
    readonly sequence?: number;
  };
}[SummarySection];

/** Who wrote a handoff: whoever compacted the log, or a sub-agent that reports back. */
export type HandoffSpeaker = Exclude<ItemSpeaker, "agent">;

/** What collectors know of a span before it is read. */
export type SpanStart = Pick<SummarizeRequest, "messages" | "previous" | "instructions">;

/** What collectors know, besides the span, when they return what they found. */
export interface HarvestContext {
  readonly messages: readonly Message[];
  readonly previous: StructuredSummary | null;
  /** The state of the span's last turn; undefined when nothing follows the span. */
  readonly lastTurn?: SummarizeRequest["lastTurn"] | undefined;
  readonly pins: readonly Pin[];
  /** The cap of the rendered summary and its counter. */
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
}

/** What a collector found: items that compete for the room of their section, and changes that do not compete. */
export interface Harvest {
  readonly candidates?: readonly Candidate[];
  readonly changes?: readonly SummaryChange[];
}

/**
 * Finds one kind of thing in a span. It is shown every piece of the span once, in order, and asked at the end. To look
 * for a new kind of thing, add a collector and its line in `harvest-span.ts`.
 */
export interface SpanCollector {
  /** What a person typed. */
  userSpeech?(speech: Speech): void;
  systemSpeech?(speech: Speech): void;
  /** What the agent said. */
  agentSpeech?(speech: Speech): void;
  /** A handoff or summary that stands in the log, or the report of an agent that was sent out. Shown as other text or result, too. */
  handoff?(text: string, place: Place, by: HandoffSpeaker): void;
  /** What the agent thought, what the harness put in, and handoffs. */
  otherText?(text: string, place: Place): void;
  call?(call: CallReading): void;
  result?(result: ResultReading): void;
  /** A result that only says that its call was refused; it is not shown as a result. */
  refusal?(refusal: Refusal): void;
  /** What takes long before the harvest, step by step. */
  prepare?(context: HarvestContext): Steps<void>;
  harvest(context: HarvestContext): Harvest;
}
