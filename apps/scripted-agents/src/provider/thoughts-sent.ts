import { createHash } from "node:crypto";
import type { Body, ProviderProtocol, SentStep, Thought } from "./provider-protocol.ts";

/** What came back of the model's thoughts in the steps of open tool loops. */
export interface ReasoningFigures {
  /** Steps whose thought the provider would have taken back. */
  readonly allowed: number;
  /** Of these, how many came back with it. */
  readonly kept: number;
}

/** A thought as the provider remembers it. */
interface KnownThought {
  readonly text: string;
  /** Digest of the request that it was the answer to, reasoning left out. */
  readonly prefix: string;
}

/**
 * Signs what a model thinks and looks at what comes back, as providers do: a thought is taken back word for word; where it
 * is bound to its prefix, only behind that very prefix, and with no thought missing between it and the next.
 */
export class ThoughtsSent {
  readonly #protocol: ProviderProtocol;
  readonly #known = new Map<string, KnownThought>();
  /** The thought behind each call, by the call's id. */
  readonly #ofCall = new Map<string, string>();
  #allowed = 0;
  #kept = 0;

  constructor(protocol: ProviderProtocol) {
    this.#protocol = protocol;
  }

  get figures(): ReasoningFigures {
    return { allowed: this.#allowed, kept: this.#kept };
  }

  /** Signs the thought behind the answer to a request; undefined where its model does not think. */
  sign(body: Body, text: string, calls: readonly string[]): Thought | undefined {
    const { reasoning } = this.#protocol;
    if (reasoning?.thinks(body) !== true) return undefined;
    const [prefix = ""] = this.#prefixesOf(body).slice(-1);
    const proof = createHash("sha256").update(`${prefix} ${text} ${this.#known.size}`).digest("base64");
    this.#known.set(proof, { text, prefix });
    for (const call of calls) this.#ofCall.set(call, proof);
    return { text, proof };
  }

  /** Why a request is refused for the thoughts in it, in the provider's words; null when they are in order. */
  problemOf(body: Body): string | null {
    const refusal = this.#protocol.reasoning?.refusalOf(body) ?? null;
    if (refusal !== null) return refusal;
    const steps = this.#protocol.reasoning?.steps(body) ?? [];
    const prefixes = this.#bindingPrefixesOf(body);
    const problems = steps.flatMap(({ thoughts, piece }) =>
      thoughts.flatMap((thought) => this.#problemOfThought(thought, prefixes?.[piece]) ?? []),
    );
    if (problems[0] !== undefined) return problems[0];
    const hasGap = prefixes !== null && this.#hasGap(steps);
    return hasGap ? "Invalid `signature` in `thinking` block. A block between others was left out." : null;
  }

  #problemOfThought({ text, proof }: Thought, prefix: string | undefined): string | null {
    const known = this.#known.get(proof);
    if (known === undefined || known.text !== text) return "Invalid `signature` in `thinking` block.";
    if (prefix === undefined || prefix === known.prefix) return null;
    return "Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
  }

  /** True when a step that was thought about lacks its thought, while one before and one behind it have theirs. */
  #hasGap(steps: readonly SentStep[]): boolean {
    const first = steps.findIndex(({ thoughts }) => thoughts.length > 0);
    const last = steps.findLastIndex(({ thoughts }) => thoughts.length > 0);
    const between = first < 0 ? [] : steps.slice(first, last);
    return between.some((step) => step.thoughts.length === 0 && this.#thoughtOf(step) !== undefined);
  }

  /** Counts the steps of the open tool loop whose thought may come back, and those whose thought did. */
  count(body: Body): void {
    const prefixes = this.#bindingPrefixesOf(body);
    for (const step of this.#protocol.reasoning?.steps(body) ?? []) {
      const proof = this.#thoughtOf(step);
      const known = proof === undefined ? undefined : this.#known.get(proof);
      const isAllowed = known !== undefined && (prefixes === null || prefixes[step.piece] === known.prefix);
      if (!step.isInOpenLoop || !isAllowed) continue;
      this.#allowed++;
      if (step.thoughts.some((thought) => thought.proof === proof)) this.#kept++;
    }
  }

  #thoughtOf({ calls }: SentStep): string | undefined {
    const [first] = calls;
    return first === undefined ? undefined : this.#ofCall.get(first);
  }

  /** The digest of what stands before each piece; null where thoughts are not bound to that. */
  #bindingPrefixesOf(body: Body): readonly string[] | null {
    return this.#protocol.reasoning?.isBoundToPrefix(String(body["model"])) === true ? this.#prefixesOf(body) : null;
  }

  /** The digest of what stands before each piece, reasoning left out, and last that of the whole request. */
  #prefixesOf(body: Body): readonly string[] {
    const { reasoning, pieces } = this.#protocol;
    const digest = createHash("sha256");
    const prefixes = [""];
    for (const piece of pieces(reasoning?.without(body) ?? body)) {
      digest.update(piece);
      prefixes.push(digest.copy().digest("base64"));
    }
    return prefixes;
  }
}
