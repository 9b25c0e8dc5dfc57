export { COMPACTION_RENDER_FORMAT_VERSION } from "./render-format-version.ts";
export type { HostFields } from "./host-fields.ts";
export type { RehydratedContent, Rendering, RenderInput } from "./render-input.ts";
export { renderRequest } from "./render-request.ts";
export { type PayloadDigest, payloadDigest } from "./payload-digest.ts";
export { GrowingRendering } from "./growing/growing-rendering.ts";
export { GrowingPayload } from "./growing/growing-payload.ts";
export { rendersAlike } from "./growing/renders-alike.ts";
export type { RenderedAction, RenderedMessage, RenderedRecord, RenderManifest } from "./manifest/render-manifest.ts";
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
export type { CapabilityTable, ModelCapabilities } from "./capabilities/model-capabilities.ts";
export { MODEL_CAPABILITIES } from "./capabilities/capability-table.ts";
export { capabilitiesOf, isSameModel, modelName } from "./capabilities/capabilities-of.ts";
export { type OverflowReport, recognizeOverflow } from "./overflow/recognize-overflow.ts";
export { OVERFLOW_CODES, OVERFLOW_PHRASES, type OverflowPhrase } from "./overflow/overflow-phrases.ts";
export { type CompleteResponse, discardTruncatedCalls, isMaxOutputStop } from "./overflow/discard-truncated-calls.ts";
export { type BreakpointOptions, type BreakpointPlaces, breakpointPlaces } from "./cache/breakpoint-places.ts";
export { type CacheMatching, cacheMatching } from "./cache/cache-matching.ts";
export { type CachedRequest, cachedRequest, type PrefixUnit } from "./cache/cached-request.ts";
export { type DiffedRendering, prefixDiff, type PrefixDivergence } from "./cache/prefix-diff.ts";
export { type CacheOutcome, type CacheSimulation, simulatePrefixCache } from "./cache/simulate-prefix-cache.ts";
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
  ResponsesMessage,
  ResponsesOutputMessage,
  ResponsesPhase,
  ResponsesReasoning,
  ResponsesRequest,
  ResponsesTool,
  ResponsesToolFormat,
  ResponsesToolOutput,
} from "./formats/openai-responses/wire-types.ts";
export { gemini } from "./formats/gemini/format.ts";
export { geminiRequestSchema } from "./formats/gemini/wire-schema.ts";
export type {
  GeminiBlob,
  GeminiContent,
  GeminiFile,
  GeminiFunctionCall,
  GeminiFunctionDeclaration,
  GeminiFunctionResponse,
  GeminiMedia,
  GeminiPart,
  GeminiRequest,
  GeminiText,
  GeminiTool,
} from "./formats/gemini/wire-types.ts";
export { aiSdk } from "./formats/ai-sdk/format.ts";
export { aiSdkPromptSchema } from "./formats/ai-sdk/wire-schema.ts";
export { neutral } from "./formats/neutral/format.ts";
export { neutralRequestSchema } from "./formats/neutral/wire-schema.ts";
export { remedyFor } from "./legality/remedies.ts";
export type { LegalityTable } from "./legality/legality-table.ts";
export type { LegalityRuleInfo } from "./legality/legality-rule.ts";
export type { FormatRequirements, MediaRequirement, ReasoningRequirement } from "./conform/format-requirements.ts";
export type { NativeCompactionOptions, NativeEdits } from "./native/native-edits.ts";
export { describeNativeDifference, type LeftReason, type NativeDifference } from "./native/native-difference.ts";
export { anthropicNativeEdits, type AnthropicNativeOptions } from "./native/anthropic/anthropic-native-edits.ts";
export type { AnthropicNativeFields } from "./native/anthropic/context-management.ts";
export { openaiNativeEdits, type OpenaiNativeFields } from "./native/openai-responses/openai-native-edits.ts";
