/**
 * Version of every text that rendering adds (frames, pointers, placeholders, markers) and of where it stands (seed 002).
 * Bump it when the same thread and plan would give other bytes, and say in the change what became different.
 */
export const COMPACTION_RENDER_FORMAT_VERSION = "v1.1";
