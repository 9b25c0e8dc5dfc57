export {
  COMPACTION_RENDER_FORMAT_VERSION,
  type RenderedAction,
  type RenderedMessage,
  type RenderedRecord,
  type RenderManifest,
} from "./input/render-manifest.ts";
export type { HostFields } from "./input/host-fields.ts";
export type { RehydratedContent, Rendering, RenderInput } from "./input/render-input.ts";
export { renderRequest } from "./rendering/render-request.ts";
export { GrowingPayload, type PayloadDigest, payloadDigest } from "./rendering/growing-payload.ts";
export { GrowingRendering, rendersAlike } from "./rendering/growing-rendering.ts";
export {
  isLossy,
  type LeftOutReason,
  type NamedWarningKind,
  type PlainWarningKind,
  type ReasonedWarningKind,
  type RenderWarning,
  type WarningKind,
} from "./warnings/render-warning.ts";
export { describeWarning } from "./warnings/describe-warning.ts";
export type {
  CacheOptions,
  FormatId,
  LoweredRequest,
  LowerOptions,
  ProviderFormat,
} from "./formats/provider-format.ts";
export { FORMAT_NAMES, formatById, FORMATS } from "./formats/formats.ts";
export {
  capabilitiesOf,
  type CapabilityTable,
  isSameModel,
  MODEL_CAPABILITIES,
  type ModelCapabilities,
} from "./input/model-capabilities.ts";
export {
  OVERFLOW_CODES,
  OVERFLOW_PHRASES,
  type OverflowPhrase,
  type OverflowReport,
  recognizeOverflow,
} from "./overflow/recognize-overflow.ts";
export { type CompleteResponse, discardTruncatedCalls, isMaxOutputStop } from "./overflow/discard-truncated-calls.ts";
export { type BreakpointOptions, type BreakpointPlaces, breakpointPlaces } from "./cache/breakpoint-places.ts";
export { type DiffedRendering, prefixDiff, type PrefixDivergence } from "./cache/prefix-diff.ts";
export { anthropicBreakpoints } from "./formats/anthropic-messages/mark-breakpoints.ts";
export { anthropicMessages } from "./formats/anthropic-messages/format.ts";
export { anthropicRequestSchema } from "./formats/anthropic-messages/wire-schema.ts";
export { openaiChat } from "./formats/openai-chat/format.ts";
export { openaiChatRequestSchema } from "./formats/openai-chat/wire-schema.ts";
export { openaiResponses } from "./formats/openai-responses/format.ts";
export { openaiResponsesRequestSchema } from "./formats/openai-responses/wire-schema.ts";
export type {
  ResponsesCacheMark,
  ResponsesCustomToolCall,
  ResponsesFunctionCall,
  ResponsesInputContent,
  ResponsesInputFile,
  ResponsesInputImage,
  ResponsesInputText,
  ResponsesItem,
  ResponsesLocalShellCall,
  ResponsesLocalShellOutput,
  ResponsesMessage,
  ResponsesOutputMessage,
  ResponsesPhase,
  ResponsesReasoning,
  ResponsesRequest,
  ResponsesTool,
  ResponsesToolFormat,
  ResponsesToolOutput,
} from "./formats/openai-responses/wire-types.ts";
export { geminiInteractions } from "./formats/gemini-interactions/format.ts";
export { gemini } from "./formats/gemini/format.ts";
export {
  type GeminiBlob,
  type GeminiContent,
  type GeminiFile,
  type GeminiFunctionCall,
  type GeminiFunctionDeclaration,
  type GeminiFunctionResponse,
  type GeminiMedia,
  type GeminiPart,
  type GeminiRequest,
  geminiRequestSchema,
  type GeminiText,
  type GeminiTool,
} from "./formats/gemini/wire-schema.ts";
export { aiSdk } from "./formats/ai-sdk/format.ts";
export { aiSdkPromptSchema } from "./formats/ai-sdk/wire-schema.ts";
export { neutral } from "./formats/neutral/format.ts";
export { neutralRequestSchema } from "./formats/neutral/wire-schema.ts";
export { remedyFor } from "./legality/remedies.ts";
export type { LegalityRuleInfo, LegalityTable } from "./legality/legality-rule.ts";
export type { FormatRequirements, MediaRequirement, ReasoningRequirement } from "./capabilities/format-requirements.ts";
export { holdsProviderItem, newestProviderItem, takesProviderItems } from "./conform/provider-items.ts";
