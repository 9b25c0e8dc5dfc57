export { type PiExtensionOptions, threadfoldExtension } from "./extension.ts";
export { type PiCompactionOptions, type PiProblem, sessionBeforeCompact } from "./session-before-compact.ts";
export { threadfoldTools } from "./threadfold-tools.ts";
