import type { FormatRequirements } from "../../conform/format-requirements.ts";

const CALL_ID = ["call_id", "call_id"] as const;

/** What OpenAI's Responses API asks of a request that stores nothing. */
export const OPENAI_RESPONSES_REQUIREMENTS = Object.freeze<FormatRequirements>({
  opening: "anyone",
  systemInside: "native",
  reasoning: { replay: "signed", provider: "openai", binding: "none", proofs: ["encrypted"], follower: "own" },
  opaqueFrom: ["openai"],
  opaqueFields: ["type"],
  opaqueTypes: {
    compaction: ["encrypted_content"],
    web_search_call: ["id"],
    file_search_call: ["id"],
    code_interpreter_call: ["id"],
    image_generation_call: ["id"],
    mcp_call: ["id"],
    mcp_list_tools: ["id"],
    mcp_approval_request: ["id"],
    mcp_approval_response: ["approval_request_id"],
    computer_call: ["call_id"],
    computer_call_output: ["call_id"],
    shell_call: ["call_id"],
    shell_call_output: ["call_id"],
    apply_patch_call: ["call_id"],
    apply_patch_call_output: ["call_id"],
  },
  opaquePairs: [
    { call: "mcp_approval_request", answer: "mcp_approval_response", fields: ["id", "approval_request_id"] },
    { call: "computer_call", answer: "computer_call_output", fields: CALL_ID },
    { call: "shell_call", answer: "shell_call_output", fields: CALL_ID },
    { call: "apply_patch_call", answer: "apply_patch_call_output", fields: CALL_ID },
  ],
  opaqueOnce: "id",
  image: {
    base64: ["image/jpeg", "image/png", "image/gif", "image/webp"],
    urls: ["http", "https", "data"],
    fileIds: true,
  },
  file: { base64: ["application/pdf"], urls: ["http", "https"], fileIds: true },
  mediaRoles: ["user"],
  mediaInResults: true,
  toolInput: "object",
  freeTextCalls: true,
  marksFailures: false,
  callIds: { refused: null, maxLength: 64, uniqueIn: "request" },
  toolNames: { refused: /[^a-zA-Z0-9_-]/, maxLength: 64 },
  cacheMarks: { provider: "openai", field: "prompt_cache_breakpoint", most: 80, refusedElsewhere: true },
  fields: { texts: { openai: ["prompt_cache_breakpoint"] }, messages: { openai: ["role"] } },
  declaresTools: false,
});
