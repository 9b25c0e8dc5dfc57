/**
 * Why a fold is looked at: somebody asked for it, it is looked at before each request, or the provider's answer asks for it
 * (an overflow, or a stop at the output limit).
 */
export type CompactionCause = "manual" | "auto" | "reactive";
