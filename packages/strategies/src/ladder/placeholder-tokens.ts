/** What a pointer to externalized content takes in a request, in tokens. For estimates only. */
export const POINTER_TOKENS = 70;

/** What the placeholder of a cleared body takes in a request, in tokens. For estimates only. */
export const PLACEHOLDER_TOKENS = 40;
