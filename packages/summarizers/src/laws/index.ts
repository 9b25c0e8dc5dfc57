export { ATTACKS, type Attack, hostileModel } from "./hostile-model.ts";
export { summarizerLaws } from "./summarizer-laws.ts";
export { type SummaryTrial, summaryTrials } from "./summary-trials.ts";
