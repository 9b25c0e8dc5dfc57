import { type AppendOnlyList, type ChatMessage, type CompactionPlan, ThreadView } from "@threadfold/core";
import { isSameSystem } from "../cache/breakpoint-places.ts";
import { requirementsFor } from "../capabilities/requirements-for.ts";
import { pinsLacking } from "../conform/provider-items.ts";
import type { ProviderFormat } from "../formats/provider-format.ts";
import type { RenderInput, Rendering } from "../input/render-input.ts";
import type { Draft } from "../neutral/draft.ts";
import { type DraftedRequest, draftRequest, draftView } from "../neutral/draft-view.ts";
import {
  composeRendering,
  type RenderContext,
  type RenderedFrame,
  type RequestSize,
  renderedFrame,
  requestSize,
} from "./compose-rendering.ts";
import {
  isApart,
  lastPieceStart,
  NOTHING_SETTLED,
  type RequestPiece,
  requestPiece,
  type SettledRequest,
  sentCalls,
  settle,
} from "./settled-request.ts";

/**
 * A rendering of one plan that follows its thread as it grows: whatever a longer log no longer changes is rendered only
 * once, so that a turn costs what it adds and not what came before (P9). An immutable value like the thread;
 * `renderRequest` returns the same for the same input.
 */
export class GrowingRendering {
  /** The messages of the rendering that a longer log no longer changes. */
  readonly settledChats: AppendOnlyList<ChatMessage>;
  readonly #context: RenderContext;
  readonly #view: ThreadView;
  readonly #frame: RenderedFrame;
  readonly #settled: SettledRequest;
  /** Drafts of the messages after the settled ones. */
  readonly #open: readonly Draft[];
  readonly #tail: RequestPiece;
  #size: RequestSize | undefined;
  #rendering: Rendering | undefined;

  private constructor(
    context: RenderContext,
    view: ThreadView,
    frame: RenderedFrame,
    settled: SettledRequest,
    open: readonly Draft[],
    tail: RequestPiece,
  ) {
    this.#context = context;
    this.#view = view;
    this.#frame = frame;
    this.#settled = settled;
    this.#open = open;
    this.#tail = tail;
    this.settledChats = settled.chats;
  }

  /** The rendering of the input that this value was made for. Assembled on first access. */
  get rendering(): Rendering {
    this.#rendering ??= composeRendering(this.#context, this.#frame, this.#settled, this.#tail, this.#measured());
    return this.#rendering;
  }

  /** Tokens of the rendering, which need not be assembled for it. */
  get tokens(): number {
    return this.#measured().tokens;
  }

  #measured(): RequestSize {
    this.#size ??= requestSize(this.#context, this.#frame, this.#settled, this.#tail);
    return this.#size;
  }

  /** Number of entries of the thread that it was made for. */
  get threadVersion(): number {
    return this.#context.input.thread.version;
  }

  /** Renders a plan from the first message on. Whatever a longer log no longer changes is settled right away. */
  static of(given: RenderInput, format: ProviderFormat): GrowingRendering {
    const start = startOf(given, format);
    return GrowingRendering.#divided(start) ?? GrowingRendering.#whole(start);
  }

  static #whole({ context, view, drafted }: Start): GrowingRendering {
    const { input, requirements } = context;
    const { system, sources, drafts } = drafted;
    const ends = { first: true, last: true };
    const whole = requestPiece({ system, tools: input.tools, drafts }, input, requirements, ends);
    const frame = renderedFrame(whole, system, sources, input);
    return new GrowingRendering(context, view, frame, NOTHING_SETTLED(), drafts, whole);
  }

  /** Null when nothing can be settled. */
  static #divided({ context, view, drafted }: Start): GrowingRendering | null {
    const { input, requirements } = context;
    const { system, sources, drafts } = drafted;
    const start = lastPieceStart(drafts, context);
    if (start === 0) return null;
    const logged = drafts.slice(0, start);
    const ends = { first: true, last: false };
    const piece = requestPiece({ system, tools: input.tools, drafts: logged }, input, requirements, ends);
    const frame = renderedFrame(piece, system, sources, input);
    const divided = divide(context, frame, { settled: NOTHING_SETTLED(), piece, logged }, drafts.slice(start));
    if (divided === null || runsInto(divided.settled, divided.tail)) return null;
    return new GrowingRendering(context, view, frame, divided.settled, divided.open, divided.tail);
  }

  /** Renders the same plan for a thread that has grown; starts over from the first message if anything else differs. */
  grow(given: RenderInput): GrowingRendering {
    const { format, requirements } = this.#context;
    if (!this.#isContinuedBy(given)) return GrowingRendering.of(given, format);
    const input = { ...given, ledger: given.ledger.extend(given.thread) };
    const view = this.#view.extend(input.thread);
    const added = view.entries.slice(this.#view.entries.length);
    return this.#with({ input, format, requirements }, view, draftView(added, input, this.#open));
  }

  #with(context: RenderContext, view: ThreadView, open: readonly Draft[]): GrowingRendering {
    const { input } = context;
    let settled = this.#settled;
    // A late result for a settled call changes what was rendered: then all of it is open again.
    const isTied = settled.drafts.length > 0 && !isApart(open, settled, context);
    const drafts = isTied ? draftRequest(view.entries, input).drafts : open;
    if (isTied) settled = NOTHING_SETTLED();
    const start = lastPieceStart(drafts, context);
    const divided = start === 0 ? null : this.#divide(context, settled, drafts, start);
    if (divided !== null) settled = divided.settled;
    const tail = divided?.tail ?? this.#piece(context, settled, drafts, "last");
    if (runsInto(settled, tail)) return GrowingRendering.#whole(startOf(context.input, context.format));
    return new GrowingRendering(context, view, this.#frame, settled, divided?.open ?? drafts, tail);
  }

  #divide(
    context: RenderContext,
    settled: SettledRequest,
    drafts: readonly Draft[],
    start: number,
  ): DividedRequest | null {
    const logged = drafts.slice(0, start);
    const piece = this.#piece(context, settled, logged);
    return divide(context, this.#frame, { settled, piece, logged }, drafts.slice(start));
  }

  /** Makes the piece that follows the settled request; the last one ends with the newest message. */
  #piece(
    { input, requirements }: RenderContext,
    settled: SettledRequest,
    drafts: readonly Draft[],
    last?: "last",
  ): RequestPiece {
    const { system, tools, given } = this.#frame;
    const before = { marksBefore: settled.marks, callIdsBefore: { settled: settled.callIds, since: [] } };
    const ends = { first: settled.drafts.length === 0, last: last !== undefined, ...before };
    // The first piece records what the frame had to give up, so it starts from the frame as given.
    const frame = ends.first ? { system: given, tools: input.tools } : { system, tools };
    return requestPiece({ ...frame, drafts }, input, requirements, ends);
  }

  #isContinuedBy(next: RenderInput): boolean {
    const { input } = this.#context;
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
      requirementsFor(this.#context.format.rules.requirements, next) === this.#context.requirements &&
      next.ledger.tokenizer === input.ledger.tokenizer &&
      next.thread.version >= thread.version &&
      next.thread.entriesBetween(thread.version - 1, thread.version)[0] === thread.entriesBetween(thread.version - 1)[0]
    );
  }
}

/** A rendering before anything was made legal. */
interface Start {
  readonly context: RenderContext;
  readonly view: ThreadView;
  readonly drafted: DraftedRequest;
}

function startOf(given: RenderInput, format: ProviderFormat): Start {
  const input = { ...given, ledger: given.ledger.extend(given.thread) };
  const requirements = requirementsFor(format.rules.requirements, input);
  const view = ThreadView.of(input.thread, input.plan, pinsLacking(input, requirements));
  return { context: { input, format, requirements }, view, drafted: draftRequest(view.entries, input) };
}

/** The settled request, the piece to append to it, and the drafts from which the piece was made. */
interface Settling {
  readonly settled: SettledRequest;
  readonly piece: RequestPiece;
  readonly logged: readonly Draft[];
}

interface DividedRequest {
  readonly settled: SettledRequest;
  readonly open: readonly Draft[];
  readonly tail: RequestPiece;
}

/** Settles a piece before the drafts that stay open; null when leaving out messages made the two sides run together. */
function divide(
  context: RenderContext,
  { system, tools }: RenderedFrame,
  { settled, piece, logged }: Settling,
  drafts: readonly Draft[],
): DividedRequest | null {
  const { input, requirements } = context;
  const callIdsBefore = { settled: settled.callIds, since: sentCalls(piece, requirements) };
  const ends = { first: false, last: true, marksBefore: settled.marks + piece.marks, callIdsBefore };
  const tail = requestPiece({ system, tools, drafts }, input, requirements, ends);
  const last = piece.drafts.at(-1);
  if (
    last === undefined ||
    last.chat.role === "assistant" ||
    !endsAlike(piece.drafts, logged) ||
    endsWithMovedResult(piece, logged) ||
    tail.drafts[0]?.chat.role !== "assistant"
  )
    return null;
  return { settled: settle(settled, piece, logged, context), open: drafts, tail };
}

/**
 * Checks whether the same message is the last one that is no result: results may change places, or answer nothing. A
 * message that rendering put before another has the same ordinal.
 */
function endsAlike(drafts: readonly Draft[], logged: readonly Draft[]): boolean {
  const [one, other] = [drafts, logged].map((all) => all.findLast(({ chat }) => chat.role !== "tool"));
  return one?.ordinal === other?.ordinal && one?.message === other?.message;
}

/**
 * Checks whether the last assistant message was left out while the piece ends with results of earlier calls, which
 * moved ahead of it: the message was left out only because it ended the piece, and stays once the assistant continues.
 */
function endsWithMovedResult(piece: RequestPiece, logged: readonly Draft[]): boolean {
  if (logged.at(-1)?.chat.role !== "tool") return false;
  const said = logged.findLast(({ chat }) => chat.role === "assistant");
  return said !== undefined && piece.drafts.findLast(({ ordinal }) => ordinal === said.ordinal) === undefined;
}

/** Checks whether only the whole request can tell its end from its beginning: the answer that began it was left out. */
const runsInto = ({ drafts }: SettledRequest, tail: RequestPiece): boolean =>
  drafts.length > 0 && tail.drafts[0]?.chat.role !== "assistant";

/** Checks whether two plans contain the same records: an id or a token count changes no byte of the prompt. */
export function rendersAlike(a: CompactionPlan, b: CompactionPlan): boolean {
  return (
    a.threadVersion === b.threadVersion &&
    a.version === b.version &&
    a.externalizations === b.externalizations &&
    a.summarizations === b.summarizations &&
    a.clearings === b.clearings &&
    a.drops === b.drops &&
    a.providerItem === b.providerItem &&
    namesOfRevealed(a) === namesOfRevealed(b)
  );
}

const namesOfRevealed = ({ revealedTools = [] }: CompactionPlan): string => JSON.stringify(revealedTools);
