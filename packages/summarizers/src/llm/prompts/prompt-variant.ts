/**
 * A prompt for summaries, as data. The rest of the question is the same for all variants: the messages, the previous
 * summary and, for notes, the shape of the answer and the rules that code checks. When a variant's text changes, it
 * gets a new version, because the version is part of cache keys.
 */
export interface PromptVariant {
  readonly id: string;
  readonly version: number;
  /** Form of the answer: `json` for notes that code checks and merges, `prose` for a text that is used unchanged. */
  readonly form: "json" | "prose";
  /** System text: who the model is and for whom it writes. */
  readonly system: string;
  /** What to write. `{compactionRound}` is replaced with the number of folds, including this one. */
  readonly task: string;
  /** Title above the caller's instructions. */
  readonly instructionsTitle: string;
  /** Titles for the parts of a question for prose, instead of Threadfold's own. */
  readonly titles?: ProseTitles;
  /** The tag in which the task asks for a prose summary. Anything outside it, such as an analysis, is dropped. */
  readonly answerTag?: string;
  /** Sampling temperature, if the prompt's source sets one. */
  readonly temperature?: number;
}

/** Titles for the parts of a question for prose. */
export interface ProseTitles {
  /** Above the previous summary; Threadfold's own title by default. */
  readonly previous?: string;
  /** Text in place of the previous summary when there is none yet. */
  readonly noPrevious?: string;
  /** Above the user's first request, which is quoted separately only if this title is set. */
  readonly originalTask?: string;
  /** Above the messages. */
  readonly messages?: string;
}

/** Returns the version of a variant's prompt for identities, including the version of the rest of the question. */
export const promptVersionOf = ({ id, version, form }: PromptVariant): string =>
  `${id}@${version}+${form === "json" ? ANSWER_FORMAT_VERSION : `prose${PROSE_FRAME_VERSION}`}`;

/** Version of the answer format. Bump it when the described answer or the rules around it change. */
export const ANSWER_FORMAT_VERSION = 2;

/** Version of the text around a prompt for prose. Bump it when that text changes. */
export const PROSE_FRAME_VERSION = 2;
