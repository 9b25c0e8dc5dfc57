const PREFIX = "keyed:";

/**
 * Says whether a digest was put under a subject's key, as an encrypted store does with digests of plain content: bare
 * ones would let anybody confirm a guess of the content, also after it was erased. Only the key's holder can compare it.
 */
export const isKeyedDigest = (digest: unknown): boolean => typeof digest === "string" && digest.startsWith(PREFIX);

/** Marks what a key made of a digest. */
export const asKeyedDigest = (text: string): string => PREFIX + text;
