export { type AnthropicNativeOptions, anthropicNativeEdits } from "./anthropic-native-edits.ts";
export type { AnthropicNativeFields } from "./clear-tool-uses.ts";
export type { NativeCompactionOptions, NativeEdits } from "./native-edits.ts";
export {
  type CompactionCall,
  describeNativeDifference,
  type LeftReason,
  type NativeDifference,
  type ProviderCompaction,
  providerCompaction,
} from "./native-edits.ts";
export { type OpenaiNativeFields, openaiNativeEdits } from "./openai-native-edits.ts";
