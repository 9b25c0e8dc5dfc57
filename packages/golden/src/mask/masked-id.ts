/**
 * What is masked by the field that it stands in. Its placeholder has no brackets: providers accept only letters, digits,
 * hyphens and underscores in an id.
 */
export const MASKED_IDS = ["thread", "message", "call", "pin", "item"] as const;
export type MaskedId = (typeof MASKED_IDS)[number];

const PLACEHOLDER_ID = new RegExp(`^(?:${MASKED_IDS.join("|")})-\\d+$`);

/** True for an id that is a placeholder already. */
export const isMaskedId = (id: string): boolean => PLACEHOLDER_ID.test(id);
