/** The row types of an inspection: plain data, for pages that run in a browser and need nothing else. */

export type { BlockText, BodyChunks, BodyLists, BodyPart, MessageBody, PayloadDifference } from "./rows/bodies.ts";
export {
  type BlockAction,
  type BlockRow,
  type BreakRow,
  type CallCause,
  type CallRow,
  callBlocks,
  type FrameRow,
  type ReplayState,
} from "./rows/call-row.ts";
export { grownIndex, type IndexGrowth } from "./rows/index-growth.ts";
export {
  type Bill,
  type BodyChoice,
  type Commands,
  type ErasedRow,
  INSPECTION_VERSION,
  type InspectionIndex,
  type InspectionSource,
  type ThreadRow,
} from "./rows/inspection-index.ts";
export type { CheckpointRow, Integrity, RuleRow } from "./rows/integrity.ts";
export { type GoneRow, type GoneSearch, isGone, type MessageRow, type MessageState } from "./rows/message-row.ts";
export { PAGE_DATA, PAGE_ROOT, type PageData, type Piece, pieceName, type ThreadSize } from "./rows/page-data.ts";
export type { AttemptRow, PinRow, PlanRow, RecordRow } from "./rows/plan-row.ts";
export type { ComparedPolicy, FigureGroup, PresetComparison } from "./rows/preset-comparison.ts";
export { type Columns, rowAt } from "./rows/table.ts";
