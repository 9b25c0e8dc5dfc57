/**
 * What a model is told to write, as data. What is around it is the same for all variants: the messages, what was said of
 * them before, and, for notes, the shape of the answer and the rules that code checks. A variant whose text changes gets a
 * new version: it is part of cache keys.
 */
export interface PromptVariant {
  readonly id: string;
  readonly version: number;
  /** What comes back: `json`, notes that code checks and merges; `prose`, a text that stands in the summary as it comes. */
  readonly form: "json" | "prose";
  /** Who the model is and for whom it writes. */
  readonly system: string;
  /** What is worth telling. `{compactionRound}` stands for how many folds are inside, this one included. */
  readonly task: string;
  /** How the caller's instructions are introduced. */
  readonly instructionsTitle: string;
  /** What stands above the parts of a question for prose, in place of Threadfold's own words. */
  readonly titles?: ProseTitles;
  /** The tag that the task asks a prose summary to stand in: what stands outside it, such as an analysis, is dropped. */
  readonly answerTag?: string;
  /** How freely the model chooses its words, where the prompt's source says it. */
  readonly temperature?: number;
}

/** Titles of the parts of a question for prose; a part without a title here gets none. */
export interface ProseTitles {
  /** Above the summary before. */
  readonly previous?: string;
  /** Stands in its place when there is no summary yet. */
  readonly noPrevious?: string;
  /** Above the user's first request, which is quoted apart from the messages only where there is a title for it. */
  readonly originalTask?: string;
  /** Above the messages. */
  readonly messages?: string;
}

/** The version of a variant's prompt as it goes into identities, the version of what is around it included. */
export const promptVersionOf = ({ id, version, form }: PromptVariant): string =>
  `${id}@${version}+${form === "json" ? ANSWER_FORMAT_VERSION : `prose${PROSE_FRAME_VERSION}`}`;

/** Bump it when the described answer or the rules around it change. */
export const ANSWER_FORMAT_VERSION = 1;

/** Bump it when what stands around a prompt for prose changes. */
export const PROSE_FRAME_VERSION = 1;
