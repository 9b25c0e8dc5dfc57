export type { ShownInput } from "./agent-items.ts";
export {
  createCallModelInputFilter,
  ThreadProjection,
  type ThreadProjectionOptions,
  threadfoldTools,
} from "./thread-projection.ts";
export { ThreadSession, type ThreadSessionOptions } from "./thread-session.ts";
