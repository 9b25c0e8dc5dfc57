import type { DraftRequest, RequestEnds } from "../conform/conformance.ts";
import type { FormatRequirements } from "../conform/format-requirements.ts";
import { conform } from "../conform/repairs.ts";
import { countDraft } from "../counting/count-draft.ts";
import type { Draft } from "../neutral/draft.ts";
import type { RenderInput } from "../render-input.ts";
import { WarningLog } from "../warnings/warning-log.ts";

/** A run of messages that was made legal and counted. */
export interface RequestPiece {
  readonly drafts: readonly Draft[];
  /** Tokens of each draft. */
  readonly tokens: readonly number[];
  readonly warnings: WarningLog;
}

/** A piece that begins a request, with the frame as the format takes it. */
export interface FirstPiece extends RequestPiece {
  readonly frame: Omit<DraftRequest, "drafts">;
}

/** Makes a run of drafts legal and counts it. */
export function requestPiece(
  request: DraftRequest,
  input: RenderInput,
  requirements: FormatRequirements,
  ends: RequestEnds,
): FirstPiece {
  const warnings = new WarningLog();
  const { drafts, ...frame } = conform(request, { requirements, input, warnings, ends });
  return { drafts, tokens: drafts.map((draft) => countDraft(draft, input.ledger)), warnings, frame };
}
