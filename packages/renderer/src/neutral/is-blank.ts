/** True for text that providers refuse as a block of its own. */
export const isBlank = (text: string): boolean => text.trim() === "";
