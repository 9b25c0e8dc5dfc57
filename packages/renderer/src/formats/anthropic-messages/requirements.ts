import type { FormatRequirements } from "../../capabilities/format-requirements.ts";
import { SYSTEM_FIELDS } from "./lower.ts";

/** The longest base64 of an image, in characters: ten MiB. Clouds that run the models accept less, some of them five. */
export const MAX_IMAGE = 10 * 2 ** 20;

/** What Anthropic's Messages API requires of a request. */
export const ANTHROPIC_REQUIREMENTS = Object.freeze<FormatRequirements>({
  opening: "user",
  standIn: { type: "compaction", contents: ["content", "encrypted_content"], firstWith: "signature" },
  systemInside: "known-models",
  directive: { provider: "anthropic", field: "output_config" },
  reasoning: { replay: "signed", provider: "anthropic", binding: "prefix-bound", leads: ["anthropic"] },
  opaqueFrom: ["anthropic"],
  opaqueFields: ["type"],
  opaqueNotBlank: ["content"],
  opaquePairs: [
    { call: "mcp_tool_use", answer: "mcp_tool_result", fields: ["id", "tool_use_id"] },
    { call: "server_tool_use", answer: "*_tool_result", fields: ["id", "tool_use_id"] },
  ],
  opaquePairsInLoop: true,
  handovers: ["fallback"],
  callers: { provider: "anthropic", field: "caller", reference: "tool_id", item: ["server_tool_use", "id"] },
  cacheMarks: { provider: "anthropic", field: "cache_control", most: 4 },
  image: {
    base64: ["image/jpeg", "image/png", "image/gif", "image/webp"],
    maxBase64: MAX_IMAGE,
    urls: ["http", "https"],
    fileIds: true,
  },
  file: { base64: ["application/pdf", "text/plain"], urls: ["http", "https"], fileIds: true },
  mediaRoles: ["user"],
  mediaInResults: true,
  textInFailures: true,
  toolReferences: true,
  toolInput: "object",
  marksFailures: true,
  callIds: { refused: /[^a-zA-Z0-9_-]/, maxLength: 64, uniqueIn: "request" },
  toolNames: { refused: /[^a-zA-Z0-9_-]/, maxLength: 128 },
  fields: { texts: { anthropic: ["cache_control", "citations"] }, messages: { anthropic: SYSTEM_FIELDS } },
  declaresTools: true,
});
