import type { JsonValue, Message, Steps } from "@threadfold/core";
import {
  type IdentifierEntry,
  IdentifierIndex,
  IN_AGENT_TEXT,
  IN_ARGUMENT,
  IN_RESULT,
  IN_USER_TEXT,
  type TextSource,
} from "../identifiers/identifier-index.ts";
import { identifierOdds } from "../identifiers/identifier-odds.ts";
import { namedLines, type ShownText } from "../identifiers/named-lines.ts";
import type { CallReading } from "../reading/call-reading.ts";
import type { Place } from "../reading/place.ts";
import type { ResultReading } from "../reading/result-reading.ts";
import type { Speech } from "../reading/speech.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, HarvestContext, SpanCollector } from "../span-collector.ts";
import { excerpt } from "../text/excerpt.ts";
import type { SpanPaths } from "../text/span-paths.ts";

/** Bodies are read so far at their beginning and at their end, in UTF-16 code units; the middle of a huge one is data. */
const RESULT_HEAD = 20_000;
const RESULT_TAIL = 6_000;
const TEXT_HEAD = 32_000;
const TEXT_TAIL = 4_000;
/** No summary has room for more. */
const MAX_CANDIDATES = 4_000;
const MAX_LINES = 1_500;
const MAX_WHERE = 60;

/**
 * Finds paths, names, hashes and numbers in everything that was said and done, ranked by how likely they are to be needed
 * again, each with the line that it stands in at its source.
 */
export class IdentifierCollector implements SpanCollector {
  readonly #index = new IdentifierIndex();
  readonly #shown: ShownText[] = [];
  readonly #paths: SpanPaths;
  #firstUserPosition = -1;
  #candidates: readonly Candidate[] = [];

  constructor(paths: SpanPaths) {
    this.#paths = paths;
  }

  userSpeech({ text, place: { position } }: Speech): void {
    if (this.#firstUserPosition < 0) this.#firstUserPosition = position;
    this.#scan(text, IN_USER_TEXT, position, "the user");
  }

  agentSpeech({ text, place: { position } }: Speech): void {
    this.#scan(text, IN_AGENT_TEXT, position, "the agent");
  }

  otherText(text: string, { position }: Place): void {
    // Nobody can say whose words these are: thoughts, a harness, a handoff.
    this.#scan(text, IN_AGENT_TEXT, position, "notes in the log");
  }

  call({ input, place, ...call }: CallReading): void {
    // A command stands among the outcomes, with what it came to.
    this.#scanJson(input, place.position, call.kind === "shell" ? null : sourceOf(call));
  }

  result({ text, place, call, envelope }: ResultReading): void {
    this.#scan(text, IN_RESULT, place.position, call === null ? envelope.toolName : sourceOf(call));
  }

  /** @param where what the text is the text of; null where it stands in the summary by itself. */
  #scan(text: string, source: TextSource, position: number, where: string | null): void {
    const [head, tail] = source === IN_RESULT ? [RESULT_HEAD, RESULT_TAIL] : [TEXT_HEAD, TEXT_TAIL];
    const parts = text.length <= head + tail ? [text] : [text.slice(0, head), text.slice(-tail)];
    for (const part of parts) {
      this.#index.scan(part, source, position);
      if (where !== null) this.#shown.push({ text: part, position, where });
    }
  }

  #scanJson(value: JsonValue | undefined, position: number, where: string | null): void {
    if (typeof value === "string") this.#scan(value, IN_ARGUMENT, position, where);
    else if (typeof value === "number") this.#scan(String(value), IN_ARGUMENT, position, where);
    else if (typeof value === "object" && value !== null) {
      for (const item of Array.isArray(value) ? value : Object.values(value)) this.#scanJson(item, position, where);
    }
  }

  *prepare({ messages }: HarvestContext): Steps<void> {
    const ranked = this.#index.entries
      .map((entry) => ({ entry, odds: identifierOdds(entry, messages, this.#firstUserPosition) }))
      .sort((a, b) => worthOf(b) - worthOf(a) || (a.entry.text < b.entry.text ? -1 : 1))
      .slice(0, MAX_CANDIDATES);
    yield;
    const bare = ranked.map((found): Candidate => {
      const message = messages[found.entry.lastPosition] as Message;
      const { text } = found.entry;
      const names = new Map([[text, found.odds]]);
      return { section: "identifiers", item: { text, sources: [message.id] }, names, worth: 0 };
    });
    yield;
    this.#candidates = [...(yield* this.#lines(ranked, messages)), ...bare];
  }

  harvest(): Harvest {
    return { candidates: this.#candidates };
  }

  /** A file by its whole path, which the rendering shortens; a command short, between its marks. */
  #placeOf(where: string): string {
    if (!where.startsWith("`")) return where;
    return `\`${excerpt(this.#paths.shortened(where.slice(1, -1)), MAX_WHERE)}\``;
  }

  *#lines(ranked: readonly RankedEntry[], messages: readonly Message[]): Steps<readonly Candidate[]> {
    const odds = new Map(ranked.slice(0, MAX_LINES).map((found) => [found.entry.text, found.odds]));
    return (yield* namedLines(this.#shown, new Set(odds.keys()), this.#index)).map(
      ({ text, where, position, names }): Candidate => ({
        section: "identifiers",
        item: {
          text: this.#paths.shortened(text),
          where: this.#placeOf(where),
          sources: [(messages[position] as Message).id],
        },
        names: new Map(names.map((name) => [name, odds.get(name) ?? 0])),
        worth: 0,
      }),
    );
  }
}

interface RankedEntry {
  readonly entry: IdentifierEntry;
  readonly odds: number;
}

const worthOf = ({ entry, odds }: RankedEntry): number => odds / Math.sqrt(entry.text.length + 3);

/** What a call is about, as a reader would look for it: its file, its command, or its tool. */
function sourceOf({
  files,
  command,
  toolName,
  kind,
}: Pick<CallReading, "files" | "command" | "toolName" | "kind">): string {
  const [file, ...others] = files;
  if (file !== undefined && (others.length === 0 || kind !== "shell")) return file.path;
  return command === null ? toolName : `\`${command.replaceAll("`", "'")}\``;
}
