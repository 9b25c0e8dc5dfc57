import { createHash } from "node:crypto";
import type { Body, ProviderProtocol, SentStep, Thought } from "./provider-protocol.ts";

/** How much of the model's thoughts came back in the steps of open tool loops. */
export interface ReasoningFigures {
  /** Number of steps whose thought the provider would have accepted. */
  readonly allowed: number;
  /** Number of these steps that came back with their thought. */
  readonly kept: number;
}

/** A thought as the provider remembers it. */
interface KnownThought {
  readonly text: string;
  /** Digest of the request that the thought answered, without reasoning. */
  readonly prefix: string;
}

/**
 * Signs a model's thoughts and checks those that come back, as providers do: a thought must come back word for word; if
 * it is bound to its prefix, it must follow that very prefix, and no thought may be missing between it and the next.
 */
export class ThoughtsSent {
  readonly #protocol: ProviderProtocol;
  readonly #known = new Map<string, KnownThought>();
  /** The thought that led to each call, by the call's id. */
  readonly #ofCall = new Map<string, string>();
  #allowed = 0;
  #kept = 0;

  constructor(protocol: ProviderProtocol) {
    this.#protocol = protocol;
  }

  get figures(): ReasoningFigures {
    return { allowed: this.#allowed, kept: this.#kept };
  }

  /** Signs the thought that led to the answer of a request; undefined if the model does not think. */
  sign(body: Body, text: string, calls: readonly string[]): Thought | undefined {
    const { reasoning } = this.#protocol;
    if (reasoning?.thinks(body) !== true) return undefined;
    const [prefix = ""] = this.#prefixesOf(body).slice(-1);
    const proof = createHash("sha256").update(`${prefix} ${text} ${this.#known.size}`).digest("base64");
    this.#known.set(proof, { text, prefix });
    for (const call of calls) this.#ofCall.set(call, proof);
    return { text, proof };
  }

  /** Returns why a request is refused for the thoughts in it, in the provider's words; null if they are in order. */
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

  /** Checks whether a step that had a thought lacks it while one before and one after it have theirs. */
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

  /** Returns the digest of what comes before each piece; null if thoughts are not bound to it. */
  #bindingPrefixesOf(body: Body): readonly string[] | null {
    return this.#protocol.reasoning?.isBoundToPrefix(String(body["model"])) === true ? this.#prefixesOf(body) : null;
  }

  /** Returns the digest of what comes before each piece, without reasoning, and finally that of the whole request. */
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
