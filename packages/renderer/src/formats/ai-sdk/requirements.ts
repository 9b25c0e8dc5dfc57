import type { FormatRequirements } from "../../conform/format-requirements.ts";

/**
 * What an AI SDK prompt must keep to. The SDK hands it to any provider, so it asks for what holds at each of them: whole
 * pairs, a user first and last, ids and names of plain signs.
 */
export const AI_SDK_REQUIREMENTS = Object.freeze<FormatRequirements>({
  opening: "user",
  systemInside: "notice",
  reasoning: { replay: "signed", provider: "*", binding: "prefix-bound", leads: ["*"], unsigned: "kept" },
  opaqueFrom: ["ai-sdk"],
  opaqueFields: ["type"],
  image: { base64: ["image/jpeg", "image/png", "image/gif", "image/webp"], urls: ["http", "https"], fileIds: false },
  file: { base64: ["application/pdf", "text/plain"], urls: ["http", "https"], fileIds: false },
  mediaRoles: ["user"],
  mediaInResults: true,
  toolInput: "object",
  marksFailures: true,
  callIds: { refused: /[^a-zA-Z0-9_-]/, maxLength: 64, uniqueIn: "request" },
  toolNames: { refused: /[^a-zA-Z0-9_-]/, maxLength: 64 },
  fields: { texts: { "*": "all" }, messages: { "*": "all", openai: [] } },
  declaresTools: false,
});
