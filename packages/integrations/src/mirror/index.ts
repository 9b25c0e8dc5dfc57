export { type AskOptions, askAgain, askModel, type OnRequest, prepareFor } from "./ask-model.ts";
export { currentSession } from "./current-session.ts";
export type { Divergence, DivergenceOptions, OnDiverged, ThreadSwitch } from "./divergence.ts";
export type { DoorOptions } from "./door-options.ts";
export {
  type AnsweredTurn,
  type ModelDoor,
  type RequestNotes,
  SessionTurn,
  type SessionTurnOptions,
} from "./session-turn.ts";
export { type MirroredThread, ThreadMirror, type ThreadMirrorOptions } from "./thread-mirror.ts";
