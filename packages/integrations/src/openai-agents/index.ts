export type { ShownInput } from "./shown-input.ts";
export { createCallModelInputFilter, ThreadProjection, type ThreadProjectionOptions } from "./thread-projection.ts";
export { ThreadSession, type ThreadSessionOptions } from "./thread-session.ts";
export { threadfoldTools } from "./threadfold-tools.ts";
