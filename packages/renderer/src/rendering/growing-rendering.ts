import {
  type AppendOnlyList,
  type ChatMessage,
  type CompactionPlan,
  type SystemEntry,
  systemText,
  ThreadView,
  type TokenBreakdown,
} from "@threadfold/core";
import { isSameSystem } from "../cache/breakpoint-places.ts";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import { bindingFor, requirementsFor } from "../capabilities/requirements-for.ts";
import type { RequestEnds } from "../conform/conformance.ts";
import { leaveItemOpen } from "../conform/leave-out-items.ts";
import { declaredTools } from "../conform/tools.ts";
import type { ProviderFormat } from "../formats/provider-format.ts";
import type { RenderInput, Rendering } from "../input/render-input.ts";
import { callsOf, type Draft } from "../neutral/draft.ts";
import { draftView } from "../neutral/draft-view.ts";
import { type SplitSystem, splitLeadingSystem } from "../neutral/split-system.ts";
import { WarningLog } from "../warnings/warning-log.ts";
import { buildManifest } from "./build-manifest.ts";
import { countFrame, countTools } from "./count-draft.ts";
import { missingPins } from "./missing-pins.ts";
import {
  addShares,
  type FirstPiece,
  isApart,
  lastPieceStart,
  NOTHING_SETTLED,
  type RequestPiece,
  renderedMessages,
  requestPiece,
  type SettledRequest,
  settle,
} from "./settled-request.ts";

/** What a rendering is made for, and what of it depends on no message. */
interface Scene {
  readonly input: RenderInput;
  readonly format: ProviderFormat;
  readonly requirements: FormatRequirements;
}

/** What comes before the messages: as the format takes it, and what it costs. */
type Frame = FirstPiece["frame"] & {
  /** System text as it was given, of host and thread. */
  readonly given: readonly SystemEntry[];
  readonly sources: SplitSystem["sources"];
  readonly tokens: ReturnType<typeof countFrame>;
};

/**
 * A rendering of one plan that follows its thread as it grows: what a longer log no longer changes is rendered once and
 * for all, so that a turn costs what it adds and not what went before (P9). An immutable value like the thread; what
 * `renderRequest` gives for the same input is the same.
 */
export class GrowingRendering {
  /** The rendering of the input that this value was made for. */
  readonly rendering: Rendering;
  /** Those of its messages that a longer log no longer changes. */
  readonly settledChats: AppendOnlyList<ChatMessage>;
  readonly #scene: Scene;
  readonly #view: ThreadView;
  readonly #frame: Frame;
  readonly #settled: SettledRequest;
  /** Drafts of the messages behind the settled ones. */
  readonly #open: readonly Draft[];

  private constructor(
    scene: Scene,
    view: ThreadView,
    frame: Frame,
    settled: SettledRequest,
    open: readonly Draft[],
    tail: RequestPiece,
  ) {
    this.#scene = scene;
    this.#view = view;
    this.#frame = frame;
    this.#settled = settled;
    this.#open = open;
    this.settledChats = settled.chats;
    this.rendering = compose(scene, frame, settled, tail);
  }

  /** Renders a plan from the first message on. What a longer log no longer changes is settled at once. */
  static of(given: RenderInput, format: ProviderFormat): GrowingRendering {
    const opened = open(given, format);
    return GrowingRendering.#parted(opened) ?? GrowingRendering.#whole(opened);
  }

  /** Renders a plan in one piece. */
  static whole(given: RenderInput, format: ProviderFormat): GrowingRendering {
    return GrowingRendering.#whole(open(given, format));
  }

  static #whole({ scene, view, system, leading }: Opened): GrowingRendering {
    const { input, requirements } = scene;
    const ends = { first: true, last: true };
    const whole = requestPiece({ system, tools: input.tools, drafts: leading.drafts }, input, requirements, ends);
    const frame = { ...counted(whole.frame, leading.sources, input), given: system };
    return new GrowingRendering(scene, view, frame, NOTHING_SETTLED(), leading.drafts, whole);
  }

  /** Null when nothing can be settled. */
  static #parted({ scene, view, system, leading }: Opened): GrowingRendering | null {
    const { input, requirements } = scene;
    const start = pieceStart(scene, leading.drafts, new Set());
    if (start === 0) return null;
    const drafts = leading.drafts.slice(0, start);
    const ends = { first: true, last: false };
    const piece = requestPiece({ system, tools: input.tools, drafts }, input, requirements, ends);
    const frame = { ...counted(piece.frame, leading.sources, input), given: system };
    const parted = part(
      scene,
      frame,
      { settled: NOTHING_SETTLED(), piece, logged: drafts },
      leading.drafts.slice(start),
    );
    if (parted === null || answersSettled(parted.tail, parted.settled)) return null;
    return new GrowingRendering(scene, view, frame, parted.settled, parted.open, parted.tail);
  }

  /** The rendering of the same plan for a thread that has grown; from the first message on when anything else differs. */
  grow(given: RenderInput): GrowingRendering {
    const { format, requirements } = this.#scene;
    if (!this.#isContinuedBy(given)) return GrowingRendering.of(given, format);
    const input = { ...given, ledger: given.ledger.extend(given.thread) };
    const view = this.#view.extend(input.thread);
    const added = view.entries.slice(this.#view.entries.length);
    return this.#with({ input, format, requirements }, view, draftView(added, input, this.#open));
  }

  #with(scene: Scene, view: ThreadView, open: readonly Draft[]): GrowingRendering {
    const { input } = scene;
    let settled = this.#settled;
    // A late result for a settled call, or an id that comes back, changes what was rendered: then all of it is open again.
    const isTied = settled.drafts.length > 0 && !isApart(open, settled.callIds);
    const drafts = isTied ? splitLeadingSystem(draftView(view.entries, input)).drafts : open;
    if (isTied) settled = NOTHING_SETTLED();
    const start = pieceStart(scene, drafts, settled.callIds);
    const parted = start === 0 ? null : this.#part(scene, settled, drafts, start);
    if (parted !== null) settled = parted.settled;
    const tail = parted?.tail ?? this.#piece(scene, drafts, { first: settled.drafts.length === 0, last: true });
    if (answersSettled(tail, settled)) return GrowingRendering.whole(scene.input, scene.format);
    return new GrowingRendering(scene, view, this.#frame, settled, parted?.open ?? drafts, tail);
  }

  #part(scene: Scene, settled: SettledRequest, drafts: readonly Draft[], start: number): Parted | null {
    const logged = drafts.slice(0, start);
    const piece = this.#piece(scene, logged, { first: settled.drafts.length === 0, last: false });
    return part(scene, this.#frame, { settled, piece, logged }, drafts.slice(start));
  }

  #piece({ input, requirements }: Scene, drafts: readonly Draft[], ends: RequestEnds): RequestPiece {
    const { system, tools, given } = this.#frame;
    // The first piece notes what the frame had to give up, so it starts from the frame as it was given.
    const frame = ends.first ? { system: given, tools: input.tools } : { system, tools };
    return requestPiece({ ...frame, drafts }, input, requirements, ends);
  }

  #isContinuedBy(next: RenderInput): boolean {
    const { input } = this.#scene;
    const { thread } = input;
    return (
      this.#open.some(({ chat, action }) => chat.role !== "system" && action !== "pins") &&
      rendersAlike(next.plan, input.plan) &&
      next.tools === input.tools &&
      isSameSystem(next.system, input.system) &&
      next.summaryRole === input.summaryRole &&
      next.summaryWording === input.summaryWording &&
      next.model === input.model &&
      next.capabilities === input.capabilities &&
      bindingFor(next) === bindingFor(input) &&
      next.ledger.tokenizer === input.ledger.tokenizer &&
      next.thread.version >= thread.version &&
      next.thread.entriesBetween(thread.version - 1, thread.version)[0] === thread.entriesBetween(thread.version - 1)[0]
    );
  }
}

/** An input with what of it does not depend on how it is cut into pieces. */
interface Opened {
  readonly scene: Scene;
  readonly view: ThreadView;
  readonly system: readonly SystemEntry[];
  readonly leading: SplitSystem;
}

function open(given: RenderInput, format: ProviderFormat): Opened {
  const input = { ...given, ledger: given.ledger.extend(given.thread) };
  const view = ThreadView.of(input.thread, input.plan);
  const leading = splitLeadingSystem(draftView(view.entries, input));
  const scene = { input, format, requirements: requirementsFor(format.rules.requirements, input) };
  return { scene, view, system: [...hostSystem(input), ...leading.texts], leading };
}

const counted = (
  frame: FirstPiece["frame"],
  sources: Frame["sources"],
  { ledger }: RenderInput,
): Omit<Frame, "given"> => ({
  ...frame,
  sources,
  tokens: countFrame(frame.system, ledger.tokenizer),
});

/** Where a piece begins that may stay open; 0 when what comes before it leaves a call open that the provider answers. */
function pieceStart({ requirements }: Scene, drafts: readonly Draft[], settledIds: ReadonlySet<string>): number {
  const start = lastPieceStart(drafts, settledIds);
  const before = drafts.slice(0, start).map(({ chat }) => chat);
  return start > 0 && leaveItemOpen(before, requirements) ? 0 : start;
}

/** What is settled, with the piece behind it and the drafts that the piece was made from. */
interface Settling {
  readonly settled: SettledRequest;
  readonly piece: RequestPiece;
  readonly logged: readonly Draft[];
}

interface Parted {
  readonly settled: SettledRequest;
  readonly open: readonly Draft[];
  readonly tail: RequestPiece;
}

/** Settles a piece before the drafts that stay open; null when leaving out messages made the two sides run into one. */
function part(
  { input, requirements }: Scene,
  { system, tools }: Frame,
  { settled, piece, logged }: Settling,
  drafts: readonly Draft[],
): Parted | null {
  const tail = requestPiece({ system, tools, drafts }, input, requirements, { first: false, last: true });
  const last = piece.drafts.at(-1);
  const isParted = last?.ordinal === logged.at(-1)?.ordinal && last?.chat.role !== "assistant";
  if (!isParted || endsWithMovedResult(piece, logged) || tail.drafts[0]?.chat.role !== "assistant") return null;
  return { settled: settle(settled, piece, logged, input.thread.livePins), open: drafts, tail };
}

/**
 * True when what the assistant said last was left out, and its end are results of earlier calls, which moved before it: it
 * then ended the piece, and stays once the assistant goes on.
 */
function endsWithMovedResult(piece: RequestPiece, logged: readonly Draft[]): boolean {
  if (logged.at(-1)?.chat.role !== "tool") return false;
  const said = logged.findLast(({ chat }) => chat.role === "assistant");
  return said !== undefined && piece.drafts.findLast(({ ordinal }) => ordinal === said.ordinal) === undefined;
}

/** Two ids of the log can come to one id on the wire; the whole request tells them apart. */
const answersSettled = (tail: RequestPiece, { callIds }: SettledRequest): boolean =>
  tail.drafts.some((draft) => callsOf(draft).some((id) => callIds.has(id)));

const hostSystem = ({ system }: RenderInput): readonly SystemEntry[] =>
  system.filter((entry) => systemText(entry).trim() !== "");

function compose(scene: Scene, frame: Frame, settled: SettledRequest, tail: RequestPiece): Rendering {
  const { input, format, requirements } = scene;
  const isDeclaring = requirements.declaresTools && frame.tools.length === 0;
  const tools = isDeclaring ? declaredTools(settled.usedTools, tail.drafts) : frame.tools;
  const chats = settled.chats.toArray().concat(tail.drafts.map(({ chat }) => chat));
  const messages = settled.messages.toArray().concat(renderedMessages(tail, settled.messages.length));
  const request = { system: frame.system, tools, messages: chats };
  const breakdown = breakdownOf(frame, countTools(tools, input.ledger.tokenizer), addShares(settled.shares, tail));
  const warnings = WarningLog.join(settled.warnings, tail.warnings);
  if (isDeclaring && tools.length > 0)
    warnings.named(
      "tools-declared",
      tools.map(({ name }) => name),
    );
  const sought = input.thread.livePins.filter((pin) => !settled.pins.has(pin));
  const drafts = () => [...settled.drafts.toArray(), ...tail.drafts];
  return {
    request,
    manifest: buildManifest(input, {
      format: format.id,
      request,
      drafts: () => eachDraft(settled, tail),
      messages,
      systemSources: frame.sources,
    }),
    warnings: warnings.warnings,
    tokens: Object.values(breakdown).reduce((sum, share) => sum + share, 0),
    breakdown,
    missingPins: sought.length === 0 ? [] : missingPins(sought, request.system, drafts()).map(({ id }) => id),
  };
}

function* eachDraft(settled: SettledRequest, tail: RequestPiece): Iterable<Draft> {
  yield* settled.drafts;
  yield* tail.drafts;
}

function breakdownOf({ tokens }: Frame, tools: number, shares: Partial<TokenBreakdown>): TokenBreakdown {
  const { system, overhead } = tokens;
  const { pins = 0, summaries = 0, pointers = 0, kept = 0, rehydrated = 0 } = shares;
  return { system, tools, pins, summaries, pointers, kept, rehydrated, overhead: overhead + (shares.overhead ?? 0) };
}

/** True when two plans hold the same records: an id or a token figure changes no byte of the prompt. */
export function rendersAlike(a: CompactionPlan, b: CompactionPlan): boolean {
  return (
    a.threadVersion === b.threadVersion &&
    a.version === b.version &&
    a.externalizations === b.externalizations &&
    a.summarizations === b.summarizations &&
    a.clearings === b.clearings &&
    a.drops === b.drops
  );
}
