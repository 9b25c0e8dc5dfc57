import type { CachedRequest, PrefixUnit } from "@threadfold/renderer";
import type { PromptPiece } from "../policy/prompt-policy.ts";
import { tokensOfCharacters } from "../recording/recorded-session.ts";
import type { MeasuredPrompt } from "./prompt-meter.ts";

interface PrefixNode {
  readonly unit: PrefixUnit;
  readonly next: Map<number, PrefixNode>;
}

/** Names the beginnings of a run's prompts, so that provider caches can be simulated: equal beginnings have equal names. */
export class PrefixUnits {
  readonly #root: PrefixNode = { unit: { digest: "0", tokens: 0, blocks: 0 }, next: new Map() };
  #nodes: readonly PrefixNode[] = [];
  #made = 0;

  /**
   * The newest prompt as a prompt cache sees it. Breakpoints stand where every careful client puts them: behind the
   * system text, where it parts from the previous prompt, and at the end.
   */
  request(prompt: readonly PromptPiece[], { pieces, shared }: MeasuredPrompt, at: number): CachedRequest {
    const nodes = this.#nodes.slice(0, shared);
    for (let index = shared; index < pieces.length; index++) {
      const { identity, characters } = pieces[index] as (typeof pieces)[number];
      nodes.push(
        this.#child(nodes[index - 1] ?? this.#root, identity, characters, blocksOf(prompt[index] as PromptPiece)),
      );
    }
    this.#nodes = nodes;
    const system = prompt.findIndex(({ role }) => role !== "system") - 1;
    const places = [system, shared - 1, nodes.length - 1].filter((place) => place >= 0);
    return { at, units: nodes.map(({ unit }) => unit), breakpoints: [...new Set(places)].sort((a, b) => a - b) };
  }

  #child(parent: PrefixNode, identity: number, characters: number, blocks: number): PrefixNode {
    const known = parent.next.get(identity);
    if (known !== undefined) return known;
    const unit = { digest: String(++this.#made), tokens: tokensOfCharacters(characters), blocks };
    const node = { unit, next: new Map() };
    parent.next.set(identity, node);
    return node;
  }
}

const blocksOf = ({ callIds = [], resultIds = [] }: PromptPiece): number =>
  Math.max(1, callIds.length + resultIds.length);
