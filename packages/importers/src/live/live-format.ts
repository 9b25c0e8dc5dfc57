/** The forms in which hosts hold a conversation that goes on: the SDKs' own messages and items. */
export const LIVE_FORMATS = ["ai-sdk", "anthropic-messages", "openai-chat", "openai-responses"] as const;

export type LiveFormat = (typeof LIVE_FORMATS)[number];
