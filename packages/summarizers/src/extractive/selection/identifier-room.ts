import { type PlaceItem, type Steps, type SummarizeRequest, shownPath } from "@threadfold/core";
import type { Candidate } from "../collectors/span-collector.ts";
import { IdentifierIndex, IN_ARGUMENT } from "../text/identifiers.ts";
import type { SummaryDraft } from "./summary-draft.ts";

type IdentifierCandidate = Extract<Candidate, { readonly section: "identifiers" }>;

/** Separator between bare identifiers in the rendered line. */
const SEPARATOR = " · ";
/** Tokens of the two headings that the rendering adds. */
const HEADINGS = 16;
/**
 * Odds of an identifier of an earlier fold that this span does not name: from the least to the most, by its old rank.
 */
const AGED_LEAST = 0.45;
const AGED_MOST = 1;
/** The number of names that count in a line of an earlier fold; the line was not chosen for the others. */
const AGED_NAMES = 2;
/** The most of a summary that bare names, without their line, may take. */
const BARE_SHARE = 0.07;
/** The fewest bare names worth a heading and a line, if others had no room. */
const FEWEST_BARE = 3;
/** Factor for a bare name, which says less than one in its line. */
const BARE_WORTH = 0.6;
/** A line is taken while it is still worth this share of its worth when it was ranked. */
const STILL_WORTH = 0.6;
/** Approximate characters per token, for ranking many lines. */
const CHARACTERS_PER_TOKEN = 3.5;
/** Tokens that rendering adds to a line and to a source. */
const LINE_MARKS = 1;
const SOURCE_MARKS = 4;

interface Contender {
  readonly text: string;
  readonly where: string | undefined;
  /** The names that it shows, with the odds that each is needed again. */
  readonly names: ReadonlyMap<string, number>;
  readonly previous: PlaceItem | null;
  readonly candidate: IdentifierCandidate | null;
}

/**
 * Fills the remaining room with identifiers: the lines whose names are most likely to be needed, per token, and a few
 * bare names. Those of earlier folds compete with new ones and are removed when they are worth less. They are added in
 * ascending order, so that a later cut from the front removes the least valuable.
 */
export function* fillWithIdentifiers(
  draft: SummaryDraft,
  candidates: readonly IdentifierCandidate[],
  request: SummarizeRequest,
): Steps<void> {
  const previous = draft.previousItems("identifiers") as readonly PlaceItem[];
  const room = new IdentifierRoom(draft, request, previous);
  const contenders = contendersOf(previous, candidates);
  yield;
  yield* room.take(contenders.filter(({ where }) => where !== undefined));
  yield* room.take(contenders.filter(({ where }) => where === undefined));
  room.closeShortList();
  room.settle();
}

class IdentifierRoom {
  readonly #draft: SummaryDraft;
  readonly #request: SummarizeRequest;
  readonly #previous: readonly PlaceItem[];
  readonly #covered: Set<string>;
  readonly #sources = new Set<string>();
  #chosen: { readonly contender: Contender; readonly cost: number }[] = [];
  readonly #costs: ReadonlyMap<string, number>;
  #room: number;
  #bareRoom: number;
  /** True once there was no room for a bare name. */
  #leftOut = false;

  constructor(draft: SummaryDraft, request: SummarizeRequest, previous: readonly PlaceItem[]) {
    this.#draft = draft;
    this.#request = request;
    this.#previous = previous;
    this.#costs = new Map(previous.map((item) => [item.id, this.#ownCost(item)]));
    this.#room = request.maxTokens - draft.tokens + draft.identifierTokens - HEADINGS;
    this.#bareRoom = request.maxTokens * BARE_SHARE;
    this.#covered = coveredBy(draft.textWithoutIdentifiers());
  }

  /** Takes the best first, and ranks those again that are worth less than before because others show their names. */
  *take(contenders: readonly Contender[]): Steps<void> {
    let waiting = this.#ranked(contenders);
    while (waiting.length > 0 && this.#room > 0) {
      yield;
      const later: Contender[] = [];
      for (const { contender, worth } of waiting) {
        if (this.#room <= 0) break;
        yield;
        const now = this.#worthOf(contender);
        if (now <= 0) continue;
        if (now < worth * STILL_WORTH) later.push(contender);
        else this.#choose(contender);
      }
      const next = this.#ranked(later);
      if (next.length === waiting.length) break;
      waiting = next;
    }
  }

  #ranked(contenders: readonly Contender[]): readonly { readonly contender: Contender; readonly worth: number }[] {
    return contenders
      .map((contender) => ({ contender, worth: this.#worthOf(contender) }))
      .filter(({ worth }) => worth > 0)
      .sort((a, b) => b.worth - a.worth || (a.contender.text < b.contender.text ? -1 : 1));
  }

  /** Its worth per token, with tokens estimated from characters. */
  #worthOf({ names, text, where }: Contender): number {
    let odds = 0;
    for (const [name, own] of names) if (!this.#covered.has(name)) odds += own;
    const source = where === undefined || this.#sources.has(where) ? 0 : this.#shown(where).length / 2;
    const marks = where === undefined ? 1 : LINE_MARKS;
    const own = where === undefined ? this.#shown(text).length : text.length;
    return odds / ((own + source) / CHARACTERS_PER_TOKEN + marks);
  }

  #choose(contender: Contender): void {
    const { where, text, names } = contender;
    const isBare = where === undefined;
    const source = isBare || this.#sources.has(where) ? 0 : this.#tokens(this.#shown(where)) + SOURCE_MARKS;
    const cost = (isBare ? this.#tokens(this.#shown(text) + SEPARATOR) : this.#tokens(text) + LINE_MARKS) + source;
    if (cost > this.#room || (isBare && cost > this.#bareRoom)) return void (this.#leftOut ||= isBare);
    this.#room -= cost;
    if (isBare) this.#bareRoom -= cost;
    else this.#sources.add(where);
    this.#chosen.push({ contender, cost });
    for (const name of names.keys()) this.#cover(name);
    if (where !== undefined) this.#cover(where);
  }

  #cover(name: string): void {
    this.#covered.add(name);
    if (SLASH.test(name)) addPathParts(name, this.#covered);
    else for (const part of name.split(".")) this.#covered.add(part);
  }

  /** Drops the list of bare names if it is very short and others had no room. */
  closeShortList(): void {
    const inLines = this.#chosen.filter(({ contender }) => contender.where !== undefined);
    const isShort = this.#chosen.length - inLines.length < FEWEST_BARE;
    if (isShort && (this.#leftOut || this.#room <= 0)) this.#chosen = inLines;
  }

  /** Adds the chosen identifiers to the draft, and takes out those of earlier folds that were not chosen. */
  settle(): void {
    const kept = new Set(this.#chosen.map(({ contender }) => contender.previous?.id));
    for (const item of this.#previous)
      if (!kept.has(item.id)) this.#draft.evict("identifiers", item, this.#costs.get(item.id) as number);
    for (const { contender, cost } of [...this.#chosen].reverse())
      if (contender.candidate !== null) this.#draft.add(contender.candidate, cost);
  }

  /** An estimate: each line counts for a quarter of its source, which several lines may share. */
  #ownCost({ text, where }: PlaceItem): number {
    return where === undefined
      ? this.#tokens(this.#shown(text) + SEPARATOR)
      : this.#tokens(text) + LINE_MARKS + (this.#tokens(this.#shown(where)) + SOURCE_MARKS) / 4;
  }

  #shown(path: string): string {
    return shownPath(path, this.#draft.folder);
  }

  #tokens(text: string): number {
    return Math.max(1, this.#request.countTokens(text));
  }
}

function contendersOf(
  previous: readonly PlaceItem[],
  candidates: readonly IdentifierCandidate[],
): readonly Contender[] {
  const odds = new Map<string, number>();
  for (const { names = [] } of candidates) for (const [name, own] of names) odds.set(name, own);
  const known = new Set(previous.map(({ text, where }) => `${where}\n${text}`));
  const old = previous.map((item, index): Contender => {
    const rank = previous.length < 2 ? 1 : index / (previous.length - 1);
    const aged = AGED_LEAST + (AGED_MOST - AGED_LEAST) * rank;
    const { text, where } = item;
    const own = where === undefined ? [text] : namesIn(text);
    const names = own.map((name, at): [string, number] => [
      name,
      Math.max(odds.get(name) ?? 0, at < AGED_NAMES ? aged : 0),
    ]);
    return {
      text,
      where,
      names: new Map(where === undefined ? names.map(bareName) : names),
      previous: item,
      candidate: null,
    };
  });
  const fresh = candidates
    .filter(({ item }) => !known.has(`${item.where}\n${item.text}`))
    .map((candidate): Contender => {
      const { text, where } = candidate.item;
      const names = [...(candidate.names ?? [])];
      return {
        text,
        where,
        names: new Map(where === undefined ? names.map(bareName) : names),
        previous: null,
        candidate,
      };
    });
  return [...old, ...fresh];
}

const bareName = ([name, odds]: [string, number]): [string, number] => [name, odds * BARE_WORTH];

function namesIn(text: string): readonly string[] {
  const index = new IdentifierIndex();
  index.scan(text, IN_ARGUMENT, 0);
  return index.entries.map((entry) => entry.text);
}

/** The identifiers that a text already shows. */
function coveredBy(text: string): Set<string> {
  const covered = new Set<string>();
  for (const name of namesIn(text)) {
    covered.add(name);
    if (SLASH.test(name)) addPathParts(name, covered);
  }
  return covered;
}

const SLASH = /[\\/]/;

/** Adds the folders and the ends of a path, which it shows as well. */
function addPathParts(path: string, covered: Set<string>): void {
  for (const { index } of path.matchAll(/[\\/]/g)) {
    covered.add(path.slice(index + 1));
    covered.add(path.slice(0, index));
  }
}
