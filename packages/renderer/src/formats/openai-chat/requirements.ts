import type { FormatRequirements } from "../../conform/format-requirements.ts";

/** What OpenAI's Chat Completions API asks of a request. */
export const OPENAI_CHAT_REQUIREMENTS = Object.freeze<FormatRequirements>({
  opening: "anyone",
  systemInside: "native",
  reasoning: { replay: "never" },
  opaqueFrom: [],
  opaqueFields: [],
  image: {
    base64: ["image/jpeg", "image/png", "image/gif", "image/webp"],
    urls: ["http", "https", "data"],
    fileIds: false,
  },
  file: { base64: ["application/pdf", "audio/wav", "audio/mp3"], urls: [], fileIds: true },
  mediaRoles: ["user"],
  mediaInResults: false,
  toolInput: "object",
  freeTextCalls: true,
  marksFailures: false,
  callIds: { refused: null, maxLength: 40, uniqueIn: "batch" },
  toolNames: { refused: /[^a-zA-Z0-9_-]/, maxLength: 64 },
  cacheMarks: { provider: "openai", field: "prompt_cache_breakpoint", most: 80, refusedElsewhere: true },
  fields: { texts: { openai: ["prompt_cache_breakpoint"] }, messages: { openai: ["name", "role"] } },
  declaresTools: false,
});
