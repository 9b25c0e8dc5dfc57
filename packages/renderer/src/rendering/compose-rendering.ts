import type { MessageId, SystemEntry, TokenBreakdown, ToolDefinition } from "@threadfold/core";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import { declaredTools, leaveToSearches } from "../conform/tools.ts";
import type { ProviderFormat } from "../formats/provider-format.ts";
import type { RenderInput, Rendering } from "../input/render-input.ts";
import type { Draft } from "../neutral/draft.ts";
import type { RenderWarning } from "../warnings/render-warning.ts";
import { buildManifest, withEdited } from "./build-manifest.ts";
import { countFrame, countTools, type FrameTokens } from "./count-draft.ts";
import { missingPins } from "./missing-pins.ts";
import {
  addShares,
  type FirstPiece,
  type RequestPiece,
  renderedMessages,
  type SettledRequest,
} from "./settled-request.ts";

/** The input of a rendering, with the parts that depend on no message. */
export interface RenderContext {
  readonly input: RenderInput;
  readonly format: ProviderFormat;
  readonly requirements: FormatRequirements;
}

/** What comes before the messages of a request, as the format requires it. */
export interface RenderedFrame extends Readonly<FirstPiece["frame"]> {
  /** System text of the host and the thread, before it was made legal. */
  readonly given: readonly SystemEntry[];
  /** The system messages of the thread that it includes. */
  readonly sources: readonly MessageId[];
  readonly tokens: FrameTokens;
}

/** Counts the frame at the beginning of a request. */
export function renderedFrame(
  { frame }: FirstPiece,
  given: readonly SystemEntry[],
  sources: readonly MessageId[],
  { ledger }: RenderInput,
): RenderedFrame {
  return { ...frame, given, sources, tokens: countFrame(frame.system, ledger.tokenizer) };
}

/** The tools that a request declares, and its tokens by share. */
export interface RequestSize {
  readonly tools: readonly ToolDefinition[];
  readonly breakdown: TokenBreakdown;
  /** The sum of the breakdown. */
  readonly tokens: number;
}

/** Measures a request without assembling it, which costs more the more messages it has. */
export function requestSize(
  { input, requirements }: RenderContext,
  frame: RenderedFrame,
  settled: SettledRequest,
  tail: RequestPiece,
): RequestSize {
  const tools = isDeclaring(requirements, frame)
    ? declaredTools(settled.usedTools, tail.drafts)
    : leaveToSearches(frame.tools, input, () => eachDraft(settled, tail));
  const breakdown = breakdownOf(frame, countTools(tools, input.ledger.tokenizer), addShares(settled.shares, tail));
  return { tools, breakdown, tokens: Object.values(breakdown).reduce((sum, share) => sum + share, 0) };
}

/** Some formats want the tools of the log declared when the host declares none. */
const isDeclaring = ({ declaresTools }: FormatRequirements, { tools }: RenderedFrame): boolean =>
  declaresTools && tools.length === 0;

/** Assembles a legal request and records where each message comes from and how many tokens it takes. */
export function composeRendering(
  context: RenderContext,
  frame: RenderedFrame,
  settled: SettledRequest,
  tail: RequestPiece,
  { tools, breakdown, tokens }: RequestSize = requestSize(context, frame, settled, tail),
): Rendering {
  const { input, format } = context;
  const chats = settled.chats.followedBy(tail.drafts.map(({ chat }) => chat));
  const messages = settled.messages.followedBy(renderedMessages(tail, settled.messages.length));
  const request = { system: frame.system, tools, messages: chats };
  const sought = input.thread.livePins.filter((pin) => !settled.pins.has(pin));
  const drafts = () => settled.drafts.followedBy(tail.drafts);
  return {
    request,
    manifest: buildManifest(input, {
      format: format.id,
      request,
      drafts: () => eachDraft(settled, tail),
      messages,
      systemSources: frame.sources,
      edited: withEdited(settled.edited, tail.drafts, settled.messages.length, input),
    }),
    warnings: [...settled.warnings.followedBy(tail.warnings), ...declarationWarnings(context, frame, tools)],
    tokens,
    breakdown,
    missingPins: sought.length === 0 ? [] : missingPins(sought, request.system, drafts()).map(({ id }) => id),
  };
}

function declarationWarnings(
  { requirements }: RenderContext,
  frame: RenderedFrame,
  tools: readonly ToolDefinition[],
): readonly RenderWarning[] {
  if (!isDeclaring(requirements, frame) || tools.length === 0) return [];
  return [{ kind: "tools-declared", names: tools.map(({ name }) => name), messageIds: [] }];
}

function* eachDraft(settled: SettledRequest, tail: RequestPiece): Iterable<Draft> {
  yield* settled.drafts;
  yield* tail.drafts;
}

function breakdownOf({ tokens }: RenderedFrame, tools: number, shares: Partial<TokenBreakdown>): TokenBreakdown {
  const { system, overhead } = tokens;
  const { pins = 0, summaries = 0, pointers = 0, kept = 0, rehydrated = 0 } = shares;
  return { system, tools, pins, summaries, pointers, kept, rehydrated, overhead: overhead + (shares.overhead ?? 0) };
}
