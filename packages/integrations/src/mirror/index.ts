export { contentOf } from "./alignment.ts";
export { type AskOptions, askAgain, askModel, type OnRequest, prepareFor } from "./ask-model.ts";
export {
  currentSession,
  type Divergence,
  type DivergenceOptions,
  type DoorOptions,
  type OnDiverged,
  type ThreadSwitch,
} from "./divergence.ts";
export {
  type AnsweredTurn,
  type ModelDoor,
  type RequestNotes,
  SessionTurn,
  type SessionTurnOptions,
} from "./session-turn.ts";
export { type MirroredThread, ThreadMirror, type ThreadMirrorOptions } from "./thread-mirror.ts";
