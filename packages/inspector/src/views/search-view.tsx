import type { InspectionIndex } from "@threadfold/inspection/rows";
import { useEffect, useMemo, useState } from "preact/hooks";
import { count } from "../format/figures.ts";
import { toolsOf } from "../model/block-label.ts";
import { type Hit, MOST_HITS, markedPieces, queryWords, search } from "../model/search.ts";
import { Cell } from "../parts/cell.tsx";
import { type Choice, ChoiceChips, countBy } from "../parts/choice-chips.tsx";
import { onOneLine } from "../parts/long-text.tsx";
import { Rows } from "../parts/rows.tsx";
import { Empty } from "../parts/section.tsx";
import { ACTIONS, ActionChip } from "../parts/words.tsx";
import { useInspector } from "../state/inspector.ts";
import { WhoName } from "./block-cells.tsx";

/** A hit with the fields it can be filtered by. */
interface FoundRow extends Hit {
  readonly role: string;
  readonly tool: string;
  readonly action: keyof typeof ACTIONS;
  /** Ordinal of the message, or of the first that the text stands for; -1 for none. */
  readonly message: number;
  /** The first call whose request has the text; null for messages. */
  readonly call: number | null;
}

const FACETS = ["action", "role", "tool"] as const;
type Chosen = Readonly<Record<(typeof FACETS)[number], ReadonlySet<string>>>;
const NOTHING: Chosen = { action: new Set(), role: new Set(), tool: new Set() };

/** Searches everything that was said and everything that requests showed instead. */
export function SearchView() {
  const { index, place, go } = useInspector();
  const { query } = place.value;
  const [round, setRound] = useState(0);
  const { hits, messages, isDone, problem } = useSearch(query, round);
  const newer = index.value.thread.messages - messages;
  const [chosen, setChosen] = useState<Chosen>(NOTHING);
  const [row, setRow] = useState(0);
  const found = useMemo(() => foundRows(index.value, hits), [index.value, hits]);
  const shown = useMemo(
    () => found.filter((one) => FACETS.every((facet) => isIn(chosen[facet], one[facet]))),
    [found, chosen],
  );
  const words = queryWords(query);
  if (words.length === 0)
    return (
      <Empty title="What are you looking for?">
        Every word must occur in a message or in what a request shows instead; "quoted words" are matched as a phrase.
      </Empty>
    );
  const open = (at: number): void => {
    const one = shown[at];
    if (one === undefined) return;
    if (one.call === null) go({ view: "why", message: one.message });
    else go({ view: "request", mode: "request", call: one.call, message: one.message < 0 ? null : one.message });
  };
  return (
    <div class="main">
      <div class="bar">
        <p role="status" class={problem === "" ? "" : "bad"}>
          {problem !== ""
            ? problem
            : `${count(shown.length, "place")}${hits.length >= MOST_HITS ? ", and more" : ""}${isDone ? "" : ", still searching…"}`}
          {isDone && newer > 0 && (
            <>
              {" "}
              <button type="button" class="link" onClick={() => setRound(round + 1)}>
                also search {count(newer, "newer message")}
              </button>
            </>
          )}
        </p>
        {FACETS.map((facet) => (
          <ChoiceChips
            key={facet}
            label={facet}
            choices={facetChoices(found, facet)}
            chosen={chosen[facet]}
            onChange={(values) => setChosen({ ...chosen, [facet]: values })}
          />
        ))}
      </div>
      {isDone && shown.length === 0 ? (
        <Empty title="Not found.">
          {index.value.bodies === "all"
            ? "Neither in the log nor in any request."
            : "Texts are shortened in this page; --bodies all includes them in full."}
        </Empty>
      ) : (
        <Rows
          label="Places"
          className="hit-rows"
          height={48}
          length={shown.length}
          chosen={Math.min(row, shown.length - 1)}
          onChoose={setRow}
          onEnter={open}
          keyOf={(at) => `${shown[at]?.list} ${shown[at]?.item}`}
        >
          {(at) => shown[at] !== undefined && <HitCells hit={shown[at]} words={words} onOpen={() => open(at)} />}
        </Rows>
      )}
    </div>
  );
}

const isIn = (chosen: ReadonlySet<string>, value: string): boolean => chosen.size === 0 || chosen.has(value);

interface SearchState {
  readonly hits: readonly Hit[];
  /** Number of messages in the thread when the search began: a search of all bodies is not restarted at every call. */
  readonly messages: number;
  readonly isDone: boolean;
  readonly problem: string;
}

/** @param round searches again when it changes. */
function useSearch(query: string, round: number): SearchState {
  const { index, bodies } = useInspector();
  const [state, setState] = useState<SearchState>({ hits: [], messages: 0, isDone: true, problem: "" });
  useEffect(() => {
    const stop = new AbortController();
    const messages = index.peek().thread.messages;
    const look = async (): Promise<void> => {
      const hits: Hit[] = [];
      setState({ hits, messages, isDone: false, problem: "" });
      for await (const more of search(index.peek(), bodies.peek(), query, stop.signal)) {
        hits.push(...more.slice(0, MOST_HITS - hits.length));
        if (more.length > 0) setState({ hits: [...hits], messages, isDone: false, problem: "" });
        if (hits.length >= MOST_HITS) break;
      }
      if (!stop.signal.aborted) setState({ hits, messages, isDone: true, problem: "" });
    };
    look().catch((error: unknown) => {
      if (!stop.signal.aborted) setState({ hits: [], messages, isDone: true, problem: String(error) });
    });
    return () => stop.abort();
  }, [query, round, index, bodies]);
  return state;
}

function foundRows(index: InspectionIndex, hits: readonly Hit[]): readonly FoundRow[] {
  const { blocks, calls, messages } = index;
  const blockOf = new Map(blocks.text.flatMap((text, place) => (text < 0 ? [] : [[text, place] as const])).reverse());
  return hits.map((hit) => {
    if (hit.list === "messages")
      return {
        ...hit,
        role: messages.role[hit.item] ?? "user",
        tool: toolsOf(index, hit.item)[0] ?? "",
        action: messages.state[hit.item] ?? "include",
        message: hit.item,
        call: null,
      };
    const place = blockOf.get(hit.item) ?? -1;
    const next = calls.firstBlock.findIndex((first) => first > place);
    return {
      ...hit,
      role: blocks.role[place] ?? "user",
      tool: "",
      action: blocks.action[place] ?? "include",
      message: blocks.from[place] ?? -1,
      call: (next < 0 ? calls.at.length : next) - 1,
    };
  });
}

function facetChoices(found: readonly FoundRow[], facet: (typeof FACETS)[number]): readonly Choice[] {
  const counts = [...countBy(found, (row) => row[facet])].filter(([value]) => value !== "").sort((a, b) => b[1] - a[1]);
  return counts.slice(0, 10).map(([value, number]) => {
    if (facet !== "action") return { value, word: value, count: number };
    const [word, tone] = ACTIONS[value as keyof typeof ACTIONS];
    return { value, word, tone, count: number };
  });
}

interface HitProps {
  readonly hit: FoundRow;
  readonly words: readonly string[];
  readonly onOpen: () => void;
}

function HitCells({ hit, words, onOpen }: HitProps) {
  return (
    <>
      <Cell class="place">{hit.message < 0 ? "" : `#${hit.message}`}</Cell>
      <Cell class="hit">
        <span class="hit-head">
          <WhoName role={hit.role} tools={hit.tool === "" ? [] : [hit.tool]} /> <ActionChip action={hit.action} />
          <span class="quiet">{hit.call === null ? "in the log" : `in requests from call ${hit.call + 1} on`}</span>
          <button type="button" class="link" tabIndex={-1} onClick={onOpen}>
            {hit.call === null ? "why" : "see the request"}
          </button>
        </span>
        <span class="passage">
          {markedPieces(onOneLine(hit.passage), words).map((piece, at) =>
            at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece,
          )}
        </span>
      </Cell>
    </>
  );
}
