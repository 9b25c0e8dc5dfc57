export {
  pieceOf,
  type PieceSource,
  pieceText,
  type PolicyContext,
  type PolicyPrompt,
  type PolicyRun,
  type PromptPiece,
  type PromptPolicy,
  type SummaryCall,
  systemPieces,
  WorkTime,
} from "./policy/prompt-policy.ts";
export {
  calledTools,
  type LoggedSession,
  type Pauses,
  type RecordedCall,
  recordedCalls,
  type RecordedSession,
  recordedSession,
  tokensOfCharacters,
  withPauses,
} from "./recording/recorded-session.ts";
export { COLD_AFTER_CALLS, type Need, type SessionNeeds, sessionNeeds } from "./needs/session-needs.ts";
export {
  answerBills,
  AUTO_BILL,
  BILL_IDS,
  type BilledCall,
  type BillId,
  type Bills,
  callBills,
  type ProviderBills,
  providerBills,
  summaryBill,
} from "./measure/call-bill.ts";
export type { CallFigures, NeedTally } from "./replay/call-figures.ts";
export { type ReplayableSession, replayableSession } from "./memory/session-memory.ts";
export { type PolicyReplay, type ReplayOptions, replayPolicy } from "./replay/replay-policy.ts";
export {
  SCRIPTED_SUMMARIZERS,
  type ScriptedSummarizer,
  scriptedSummarizer,
  type ScriptedSummarizerId,
} from "./summaries/scripted-summarizer.ts";
export {
  clearAllButLast,
  floorPolicy,
  noCompaction,
  type PromptRule,
  rulePolicy,
  type RulePrompt,
  slidingWindow,
  tokensOfMessage,
  tokensOfPieces,
} from "./policies/naive-policies.ts";
export { oraclePolicy } from "./policies/oracle-policy.ts";
export { presetPolicy, type PresetPolicyOptions } from "./policies/preset-policy.ts";
export { baselineById, BASELINES, offerOf, type PolicyOffer, presetOffers } from "./policies/policy-offer.ts";
export { FiguresTally, type ReplaySeries, replaySeries } from "./figures/figures-tally.ts";
export type {
  AnswerFigures,
  MemoryFigures,
  PolicyFigures,
  ProviderBill,
  RecallFigures,
} from "./figures/policy-figures.ts";
export {
  simulate,
  type SimulatedSession,
  type Simulation,
  type SimulationOptions,
  type SimulationProgress,
} from "./run/simulate.ts";
export {
  ANSWER_COLUMNS,
  ANSWER_NOTES,
  defects,
  dollarColumn,
  FIGURE_COLUMNS,
  FIGURE_NOTES,
  type FigureColumn,
  inputDollars,
  MEMORY_COLUMNS,
  MEMORY_NOTES,
} from "./report/figure-columns.ts";
