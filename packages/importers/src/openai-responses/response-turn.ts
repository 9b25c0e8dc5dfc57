import type { Part, Usage } from "@threadfold/core";
import type { DraftMessage } from "../draft/session-draft.ts";
import type { SourcePointer } from "../source-pointer.ts";

/** The items that one call of the model gave: they become one assistant message. */
export class ResponseTurn {
  readonly parts: Part[] = [];
  usage: Usage | undefined;
  readonly #id: string;
  readonly #time: unknown;
  readonly #model: string | undefined;
  readonly #places: SourcePointer[] = [];

  constructor(id: string, time: unknown, model: string | undefined) {
    this.#id = id;
    this.#time = time;
    this.#model = model;
  }

  add(parts: readonly Part[], at: SourcePointer): void {
    this.parts.push(...parts);
    this.#places.push(at);
  }

  /** True when the response holds a compaction that ran at the provider. */
  get isCompaction(): boolean {
    return this.parts.some(
      (part) => part.type === "opaque" && COMPACTIONS.has((part.value as { readonly type?: unknown } | null)?.type),
    );
  }

  toMessage(): DraftMessage {
    const [source = { line: 0 }, ...more] = this.#places;
    return {
      id: this.#id,
      role: "assistant",
      parts: this.parts,
      time: this.#time,
      source,
      ...(this.#model !== undefined && { model: this.#model }),
      ...(this.usage && { usage: this.usage }),
      ...(more.length > 0 && placesOf(this.#places)),
    };
  }
}

/** Items by which the Responses API hands back a compacted history. */
const COMPACTIONS: ReadonlySet<unknown> = new Set(["compaction", "compaction_summary", "context_compaction"]);

function placesOf(places: readonly SourcePointer[]): Pick<DraftMessage, "sourceLines" | "sourcePaths"> {
  return places[0]?.path === undefined
    ? { sourceLines: places.map(({ line }) => line) }
    : { sourcePaths: places.map(({ path = "" }) => path) };
}
