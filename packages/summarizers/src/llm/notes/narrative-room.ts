/**
 * What a text in a model's own words may take of a summary. The rest is for what code writes beside it: the task, rules,
 * requests, files and commands. What either does not need is the other's.
 */
const NARRATIVE_SHARE = 0.8;

/** The room of a narrative in a summary of so many tokens, in tokens. */
export const narrativeRoom = (maxTokens: number): number => Math.floor(maxTokens * NARRATIVE_SHARE);
