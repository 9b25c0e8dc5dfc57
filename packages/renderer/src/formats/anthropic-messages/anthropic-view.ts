import type { HostFields } from "../../input/host-fields.ts";
import type { RenderedMessage, RenderManifest } from "../../input/render-manifest.ts";
import type { Locate } from "../../legality/check-rules.ts";
import { asList, asText, at, isPlainObject, type Place, type PlainObject } from "../../legality/legality-rule.ts";
import type { WireReference, WireStep } from "../../legality/pairing.ts";

/** A block and its position. */
export interface PlacedBlock {
  readonly block: PlainObject;
  readonly role: string;
  readonly message: number;
  readonly index: number;
  /** Position among all blocks of the request. */
  readonly ordinal: number;
}

/** Consecutive messages of one role: the API joins them. */
export interface AnthropicTurn {
  readonly role: string;
  readonly blocks: readonly PlacedBlock[];
}

/** Blocks from one ordinal up to, but not including, another. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** Context that a payload does not contain. */
export interface AnthropicContext {
  /**
   * The blocks after an edited prefix; null if thinking is not bound to one, undefined if only the payload can tell.
   */
  readonly edited?: BlockRange | null | undefined;
  /** Fields that the host adds to the payload. */
  readonly host?: HostFields | undefined;
}

/** A payload as the rules see it. Built once, in one pass, without copying any text. */
export interface AnthropicView {
  readonly payload: PlainObject;
  readonly messages: readonly PlainObject[];
  /** Every block of every message, in order. */
  readonly blocks: readonly PlacedBlock[];
  readonly turns: readonly AnthropicTurn[];
  readonly steps: readonly WireStep[];
  /** The blocks of a type, in order. */
  blocksOf(type: string): readonly PlacedBlock[];
  readonly edited: AnthropicContext["edited"];
  /**
   * The fields `thinking`, `tool_choice`, `output_config.format`, `betas` and `context_management`, from the payload or
   * else as the host declared them.
   */
  readonly thinking: unknown;
  readonly toolChoice: unknown;
  readonly responseFormat: unknown;
  readonly betas: unknown;
  readonly contextManagement: unknown;
  /** Whether the host itself writes system messages inside the conversation. */
  readonly systemInside: boolean;
}

const NONE: readonly PlacedBlock[] = [];

export function anthropicView(payload: unknown, { edited, host }: AnthropicContext = {}): AnthropicView {
  const body = isPlainObject(payload) ? payload : {};
  const reading = new Reading();
  for (const message of asList(body.messages)) reading.add(isPlainObject(message) ? message : {});
  const { messages, blocks, turns, byType } = reading;
  const steps: WireStep[] = [];
  for (const turn of turns) addSteps(steps, turn);
  return {
    payload: body,
    messages,
    blocks,
    turns,
    steps,
    edited,
    thinking: body.thinking ?? host?.thinking,
    toolChoice: body.tool_choice ?? host?.toolChoice,
    responseFormat: (isPlainObject(body.output_config) ? body.output_config.format : undefined) ?? host?.responseFormat,
    betas: body.betas ?? body.anthropic_beta ?? host?.betas,
    contextManagement: body.context_management ?? host?.contextManagement,
    systemInside: host?.systemInside === true,
    blocksOf: (type) => byType.get(type) ?? NONE,
  };
}

class Reading {
  readonly messages: PlainObject[] = [];
  readonly blocks: PlacedBlock[] = [];
  readonly turns: { readonly role: string; readonly blocks: PlacedBlock[] }[] = [];
  readonly byType = new Map<string, PlacedBlock[]>();

  /** Content that is a plain string counts as one text block. */
  add(message: PlainObject): void {
    const { content } = message;
    const role = asText(message.role) ?? "";
    this.messages.push(message);
    if (typeof content === "string") return this.#place({ type: "text", text: content }, role, 0);
    const blocks = asList(content);
    for (let index = 0; index < blocks.length; index++) {
      const block = blocks[index];
      this.#place(isPlainObject(block) ? block : {}, role, index);
    }
  }

  #place(block: PlainObject, role: string, index: number): void {
    const placed = { block, role, message: this.messages.length - 1, index, ordinal: this.blocks.length };
    this.blocks.push(placed);
    const type = asText(block.type) ?? "";
    const same = this.byType.get(type);
    if (same === undefined) this.byType.set(type, [placed]);
    else same.push(placed);
    const open = this.turns.at(-1);
    if (open?.role === role) open.blocks.push(placed);
    else this.turns.push({ role, blocks: [placed] });
  }
}

function addSteps(steps: WireStep[], { role, blocks }: AnthropicTurn): void {
  if (role === "assistant") {
    steps.push({ kind: "calls", references: references(blocks, "tool_use", "id") });
    return;
  }
  const results = references(blocks, "tool_result", "tool_use_id");
  if (results.length > 0) steps.push({ kind: "results", references: results });
  if (results.length < blocks.length) steps.push({ kind: "speech" });
}

function references(blocks: readonly PlacedBlock[], type: string, field: string): readonly WireReference[] {
  const found: WireReference[] = [];
  for (const placed of blocks) {
    if (placed.block.type === type) found.push({ id: asText(placed.block[field]) ?? "", place: placeOf(placed) });
  }
  return found;
}

/** Consecutive system messages, and whether they may be where they are. */
interface SystemRun {
  readonly run: readonly PlainObject[];
  readonly start: number;
  readonly isPlaced: boolean;
}

export function systemRuns({ messages }: AnthropicView): readonly SystemRun[] {
  const runs: SystemRun[] = [];
  for (let start = 0; start < messages.length; start++) {
    if (messages[start]?.role !== "system") continue;
    let end = start + 1;
    while (messages[end]?.role === "system") end++;
    const isPlaced =
      takesSystem(messages[start - 1]) && (end === messages.length || messages[end]?.role === "assistant");
    runs.push({ run: messages.slice(start, end), start, isPlaced });
    start = end - 1;
  }
  return runs;
}

function takesSystem(before: PlainObject | undefined): boolean {
  const last = asList(before?.content).at(-1);
  const isFound = isPlainObject(last) && asText(last.type)?.endsWith("_tool_result") === true;
  return before !== undefined && (before.role !== "assistant" || isFound);
}

export const placeOf = ({ message, index }: PlacedBlock, field?: string): Place => at(message, index, field);

/** A block of a message, or one inside a result. */
export interface BlockWithin {
  readonly block: PlainObject;
  /** The block of the message: itself, or the result. */
  readonly placed: PlacedBlock;
  /** Its place in the result. */
  readonly field?: string;
}

/** Returns the blocks of some types, first those of messages and then those inside results. */
export const blocksWithin = (view: AnthropicView, types: readonly string[]): readonly BlockWithin[] => [
  ...types.flatMap((type) => view.blocksOf(type)).map((placed) => ({ block: placed.block, placed })),
  ...view
    .blocksOf("tool_result")
    .flatMap((placed) =>
      asList(placed.block.content).flatMap((block, index): readonly BlockWithin[] =>
        isPlainObject(block) && types.includes(asText(block.type) ?? "")
          ? [{ block, placed, field: `content[${index}]` }]
          : [],
      ),
    ),
];

/**
 * Locates messages by counting blocks, since each part became one block, in order. Finds nothing in a foreign payload.
 */
export function blockLocator(view: AnthropicView, manifest: RenderManifest): Locate {
  const owners: RenderedMessage[] = manifest.messages.flatMap((message) =>
    new Array<RenderedMessage>(message.parts).fill(message),
  );
  if (owners.length !== view.blocks.length) return () => undefined;
  const firstOf = new Map<number, number>();
  view.blocks.forEach(({ message }, ordinal) => {
    if (!firstOf.has(message)) firstOf.set(message, ordinal);
  });
  return ({ message, block = 0 }) => {
    const first = firstOf.get(message);
    return first === undefined ? undefined : owners[first + block];
  };
}

/** Returns the blocks after a prefix that a plan changed since they were written; null when nothing is edited. */
export function editedBlocks({ messages, firstEdited, firstUnedited }: RenderManifest): BlockRange | null {
  if (firstEdited === null || firstUnedited === null) return null;
  const blocksBefore = (index: number): number => messages.slice(0, index).reduce((sum, { parts }) => sum + parts, 0);
  return { from: blocksBefore(firstEdited), to: blocksBefore(firstUnedited) };
}
