/**
 * What a model is told to note, as data. The shape of the answer and the rules that code checks are the same for all
 * variants. A variant whose text changes gets a new version: it is part of cache keys.
 */
export interface PromptVariant {
  readonly id: string;
  readonly version: number;
  /** Who the model is and for whom it writes. */
  readonly system: string;
  /** What is worth noting. */
  readonly task: string;
  /** How the caller's instructions are introduced. */
  readonly instructionsTitle: string;
  /** True where the seed caps an answer at what a summary may take. By default it may be twice as long, up to 8 000 tokens. */
  readonly answersWithinSummary?: true;
}

/** The version of a variant's prompt as it goes into identities, the version of the answer's shape included. */
export const promptVersionOf = ({ id, version }: PromptVariant): string => `${id}@${version}+${ANSWER_FORMAT_VERSION}`;

/** Bump it when the described answer or the rules around it change. */
export const ANSWER_FORMAT_VERSION = 1;
