import { AppendOnlyList, digestOf, type RequestPrefix, sha256 } from "@threadfold/core";
import type { Rendering } from "@threadfold/renderer";

/** The state of the chain at the end of a message. */
interface ChainLink {
  /** Digest of the request up to and including the message. */
  readonly digest: string;
  /** Tokens of the messages up to here, without tools and system text. */
  readonly tokens: number;
  readonly blocks: number;
}

/** The prefixes of one request, by the number of messages that each has after tools and system text. */
export class PrefixChain {
  readonly #frame: ChainLink;
  readonly #links: AppendOnlyList<ChainLink>;

  private constructor(frame: ChainLink, links: AppendOnlyList<ChainLink>) {
    this.#frame = frame;
    this.#links = links;
  }

  /**
   * @param before the chain of an earlier request to the same model with the same tools, system text and host fields.
   * @param shared number of leading messages that both share; they are not digested again.
   */
  static of(rendering: Rendering, before?: PrefixChain, shared = 0): PrefixChain {
    const { request, manifest, tokens } = rendering;
    const known = before === undefined ? AppendOnlyList.empty<ChainLink>() : before.#links.prefix(shared);
    const added: ChainLink[] = [];
    const frame = before === undefined ? frameDigest(rendering) : before.#frame.digest;
    let last = known.at(known.length - 1) ?? {
      digest: sha256(frame + digestOf(manifest.host ?? {})),
      tokens: 0,
      blocks: 0,
    };
    for (let index = known.length; index < request.messages.length; index++) {
      last = linkBehind(last, rendering, index);
      added.push(last);
    }
    const blocks = request.system.length + request.tools.length;
    return new PrefixChain({ digest: frame, tokens: tokens - last.tokens, blocks }, known.append(added));
  }

  /** Number of messages in the request. */
  get length(): number {
    return this.#links.length;
  }

  /** Returns the digest of the prefix with this number of messages; undefined when the request has fewer. */
  digestAt(messages: number): string | undefined {
    return messages === 0 ? this.#frame.digest : this.#links.at(messages - 1)?.digest;
  }

  /** Returns the prefix with this number of messages; undefined when the request has fewer. */
  prefix(messages: number): RequestPrefix | undefined {
    if (messages === 0) return { ...this.#frame, messages };
    const link = this.#links.at(messages - 1);
    if (link === undefined) return undefined;
    const { digest, tokens, blocks } = link;
    return { digest, tokens: this.#frame.tokens + tokens, blocks: this.#frame.blocks + blocks, messages };
  }
}

/** Includes model and format, because caches are per model, and each format belongs to another provider. */
const frameDigest = ({ request: { system, tools }, manifest: { format, model } }: Rendering): string =>
  digestOf({ format, ...(model !== undefined && { model }), system, tools });

function linkBehind(before: ChainLink, { request, manifest }: Rendering, index: number): ChainLink {
  const { role, parts, providerMetadata } = request.messages[index] as Rendering["request"]["messages"][number];
  const own = digestOf({ role, parts, ...(providerMetadata !== undefined && { providerMetadata }) });
  return {
    digest: sha256(before.digest + own),
    tokens: before.tokens + (manifest.messages[index]?.tokens ?? 0),
    blocks: before.blocks + parts.length,
  };
}
