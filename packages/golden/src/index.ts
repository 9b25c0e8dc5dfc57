export type {
  GoldenPayloads,
  GoldenPolicy,
  GoldenPromptOptions,
  GoldenSource,
  RecordedSession,
} from "./options/golden-options.ts";
export {
  BUILT_IN_MASKS,
  type BuiltInMask,
  DEFAULT_MASKS,
  type Mask,
  type MaskRule,
  maskRules,
  type PatternMask,
} from "./mask/mask-rule.ts";
export { type GoldenPrompt, renderGoldenPrompt } from "./render/render-golden-prompt.ts";
export { type PromptTrace, promptTrace, type TracedMessage, traceFile } from "./trace/prompt-trace.ts";
export { type GoldenDivergence, goldenDivergence } from "./trace/golden-divergence.ts";
export {
  compareGoldenPrompt,
  type CompareOptions,
  type GoldenComparison,
  type GoldenDifference,
  goldenDifferences,
  type GoldenMode,
  goldenMode,
  isAccepted,
  isCi,
  UPDATE_VARIABLE,
} from "./compare/compare-golden-prompt.ts";
export { type AcceptHint, describeComparison, describeDivergence } from "./compare/describe-comparison.ts";
export { obsoleteGoldenPrompts, removeGoldenPrompts } from "./compare/golden-folder.ts";
export { GOLDEN_FILE_NAMES } from "./render/golden-files.ts";
