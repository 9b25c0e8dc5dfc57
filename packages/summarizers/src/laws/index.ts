export { ATTACKS, type Attack, hostileModel } from "./hostile-model.ts";
export { type SummaryTrial, summarizerLaws, summaryTrials } from "./summarizer-laws.ts";
