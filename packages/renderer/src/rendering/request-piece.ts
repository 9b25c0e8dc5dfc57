import type { TokenBreakdown } from "@threadfold/core";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import type { DraftRequest, RequestEnds } from "../conform/conformance.ts";
import { conform } from "../conform/repairs.ts";
import type { RenderInput } from "../input/render-input.ts";
import type { RenderedMessage } from "../input/render-manifest.ts";
import type { Draft } from "../neutral/draft.ts";
import { WarningLog } from "../warnings/warning-log.ts";
import { renderedMessage } from "./build-manifest.ts";
import { countDraft } from "./count-draft.ts";

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

/** The messages of a piece as the manifest lists them, from an index on. */
export const renderedMessages = ({ drafts, tokens }: RequestPiece, from: number): readonly RenderedMessage[] =>
  drafts.map((draft, index) => renderedMessage(draft, from + index, tokens[index] as number));

/** Shares with the tokens of a piece added. */
export function addShares(
  shares: Readonly<Partial<TokenBreakdown>>,
  { drafts, tokens }: RequestPiece,
): Partial<TokenBreakdown> {
  const sums: { -readonly [Share in keyof TokenBreakdown]?: number } = { ...shares };
  drafts.forEach(({ share }, index) => {
    sums[share] = (sums[share] ?? 0) + (tokens[index] as number);
  });
  return sums;
}
