/** What a pointer to externalized content takes in a request without the names in it, in tokens. For estimates only. */
export const POINTER_TOKENS = 70;

/** What the names of a large body take at the most. */
const MAX_NAME_TOKENS = 190;

/** What a pointer to a body of so many tokens takes, names included. For estimates only. */
export const pointerTokens = (bodyTokens: number): number =>
  POINTER_TOKENS + Math.min(MAX_NAME_TOKENS, Math.ceil(bodyTokens / 8));

/** What the placeholder of a cleared body takes in a request, in tokens. For estimates only. */
export const PLACEHOLDER_TOKENS = 40;
