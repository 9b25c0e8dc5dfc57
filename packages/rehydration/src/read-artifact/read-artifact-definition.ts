import { READ_ARTIFACT_TOOL_NAME, type ToolDefinition } from "@threadfold/core";

export { READ_ARTIFACT_TOOL_NAME };

/** A page has so many characters when the call does not say. In UTF-16 code units. */
export const DEFAULT_PAGE = 8_000;
/** A page has at most so many characters, whatever the call says. */
export const MAX_PAGE = 40_000;

/** The tool as the model is told about it. */
export const READ_ARTIFACT_DEFINITION: ToolDefinition = Object.freeze({
  name: READ_ARTIFACT_TOOL_NAME,
  description:
    "Read content that was moved out of the conversation. Pointers in the conversation name its artifact_id. Long content comes in pages; the result says how to read on.",
  inputSchema: {
    type: "object",
    properties: {
      artifact_id: { type: "string", description: "The id that the pointer names, such as artifact_0123456789abcdef." },
      offset: { type: "integer", minimum: 0, description: "Characters to skip. 0 by default." },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: MAX_PAGE,
        description: `Characters to read. ${DEFAULT_PAGE} by default.`,
      },
    },
    required: ["artifact_id"],
    additionalProperties: false,
  },
});
