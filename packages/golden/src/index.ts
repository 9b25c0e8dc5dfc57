export type {
  GoldenPayloads,
  GoldenPolicy,
  GoldenPromptOptions,
  GoldenSource,
  RecordedSession,
} from "./golden-options.ts";
export type { GoldenPrompt } from "./golden-prompt.ts";
export {
  BUILT_IN_MASKS,
  type BuiltInMask,
  DEFAULT_MASKS,
  type Mask,
  type MaskRule,
  maskRules,
  type PatternMask,
} from "./mask/mask-rule.ts";
export { renderGoldenPrompt } from "./render/render-golden-prompt.ts";
export { type PromptTrace, promptTrace, type TracedMessage, traceFile } from "./trace/prompt-trace.ts";
export { type GoldenDivergence, goldenDivergence } from "./trace/golden-divergence.ts";
export {
  compareGoldenPrompt,
  type CompareOptions,
  type GoldenComparison,
  isAccepted,
} from "./compare/compare-golden-prompt.ts";
export { type AcceptHint, describeComparison, describeDivergence } from "./compare/describe-comparison.ts";
export { type GoldenDifference, goldenDifferences } from "./compare/golden-difference.ts";
export { type GoldenMode, goldenMode, isCi, UPDATE_VARIABLE } from "./compare/golden-mode.ts";
export { obsoleteGoldenPrompts, removeGoldenPrompts } from "./compare/obsolete-cases.ts";
export { GOLDEN_FILE_NAMES } from "./render/golden-files.ts";
