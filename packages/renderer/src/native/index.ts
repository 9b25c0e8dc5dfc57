export { type AnthropicNativeOptions, anthropicNativeEdits } from "./anthropic-native-edits.ts";
export type { AnthropicNativeFields } from "./clear-tool-uses.ts";
export {
  type CompactionCall,
  describeNativeDifference,
  type LeftReason,
  type NativeCompactionOptions,
  type NativeDifference,
  type NativeEdits,
  type ProviderCompaction,
  providerCompaction,
} from "./native-edits.ts";
export { type OpenaiNativeFields, openaiNativeEdits } from "./openai-native-edits.ts";
