export {
  type PiCompactionOptions,
  type PiExtensionOptions,
  type PiProblem,
  sessionBeforeCompact,
  threadfoldExtension,
  threadfoldTools,
} from "./extension.ts";
