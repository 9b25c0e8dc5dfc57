import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import {
  callBlocks,
  type GoneRow,
  type GoneSearch,
  grownIndex,
  type IndexGrowth,
  type InspectionIndex,
} from "@threadfold/inspection/rows";
import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { type MessagesAt, messagesAt } from "../model/messages-at.ts";
import { BodyReader } from "../source/body-reader.ts";
import { type DataSource, readIndex } from "../source/data-source.ts";
import { GoneSearches } from "./gone-searches.ts";
import { type Loaded, useLoaded } from "./loaded.ts";
import { fromHash, type Place, toHash } from "./place.ts";

/** Whether more data may come: a file never changes, a server is live or gone. */
type Liveness = "file" | "live" | "gone";

/** What all views share: the data, and the current place in it. */
export interface Inspector {
  readonly source: DataSource;
  readonly index: ReadonlySignal<InspectionIndex>;
  readonly bodies: ReadonlySignal<BodyReader>;
  readonly liveness: ReadonlySignal<Liveness>;
  readonly place: ReadonlySignal<Place>;
  /** The chosen call, clamped to the existing ones; -1 if there are none. */
  readonly call: ReadonlySignal<number>;
  /** Blocks of that call's request; `messages` says what it did with every message. */
  readonly blocks: ReadonlySignal<readonly number[]>;
  readonly messages: ReadonlySignal<MessagesAt>;
  /** Reads what the newest plan took out of the request, once under each plan. */
  readGone(): Promise<readonly GoneRow[]>;
  /** Search results for the messages that are gone. */
  readonly searches: GoneSearches;
  /** Brings the bill of the index up to date with all calls. */
  readBill(): Promise<void>;
  /** Goes to another place and adds it to the browser's history. */
  go(change: Partial<Place>): void;
  /** Goes to another place without adding it to the history, for changes at every keystroke. */
  move(change: Partial<Place>): void;
}

/** Opens the data of a source and follows it as it grows. */
export async function openInspector(source: DataSource): Promise<Inspector> {
  const index = signal(await readIndex(source));
  const place = signal(fromHash(location.hash === "" ? `#/${source.view}` : location.hash));
  const liveness = signal<Liveness>(source.kind === "served" ? "live" : "file");
  const call = computed(() => {
    const last = index.value.calls.at.length - 1;
    return Math.min(place.value.call ?? last, last);
  });
  const change = (write: "pushState" | "replaceState") => (part: Partial<Place>) => {
    place.value = { ...place.value, ...part };
    history[write](null, "", toHash(place.value));
  };
  addEventListener("popstate", () => {
    place.value = fromHash(location.hash);
  });
  follow(source, index, liveness);
  let reader: BodyReader | undefined;
  return {
    source,
    index,
    bodies: computed(() => {
      reader = new BodyReader(source, index.value.chunks, reader);
      return reader;
    }),
    readGone: goneReader(source, index),
    searches: new GoneSearches(source, index),
    readBill: billReader(source, index),
    liveness,
    place,
    call,
    blocks: computed(() => callBlocks(index.value, call.value)),
    messages: computed(() => messagesAt(index.value, call.value)),
    go: change("pushState"),
    move: change("replaceState"),
  };
}

function goneReader(source: DataSource, index: ReadonlySignal<InspectionIndex>): Inspector["readGone"] {
  let read: { readonly planVersion: number; readonly rows: Promise<readonly GoneRow[]> } | undefined;
  return () => {
    const { planVersion } = index.peek().thread;
    if (read?.planVersion !== planVersion) {
      const rows = source.read({ kind: "gone" }) as Promise<readonly GoneRow[]>;
      read = { planVersion, rows };
      rows.catch(() => {
        read = undefined;
      });
    }
    return read.rows;
  };
}

function billReader(source: DataSource, index: Signal<InspectionIndex>): Inspector["readBill"] {
  let isReading = false;
  return async () => {
    if (isReading || index.peek().bill.revision === index.peek().revision) return;
    isReading = true;
    try {
      const bill = (await source.read({ kind: "bill" })) as InspectionIndex["bill"];
      index.value = { ...index.peek(), bill };
    } catch {
      // The connection reports on its own that the server is gone.
    }
    isReading = false;
  };
}

/** Reads what was added whenever the server announces more: one read at a time, and no announcement is missed. */
function follow(source: DataSource, index: Signal<InspectionIndex>, liveness: Signal<Liveness>): void {
  let isReading = false;
  let isBehind = false;
  const read = async (): Promise<void> => {
    isBehind = isReading;
    if (isReading) return;
    isReading = true;
    try {
      const since = index.peek().revision;
      const growth = (await source.read({ kind: "growth", since })) as IndexGrowth | null;
      const next = growth === null ? await readIndex(source) : grownIndex(index.peek(), growth);
      const isErasedNow = next.erased !== null && index.peek().erased === null;
      index.value = next;
      if (isErasedNow) forgetAll();
    } catch {
      // The connection reports on its own that the server is gone.
    }
    isReading = false;
    if (isBehind) await read();
  };
  source.listen(
    () => void read(),
    (isThere) => {
      liveness.value = isThere ? "live" : "gone";
    },
  );
}

/**
 * Reloads the page, so that neither what was read of a thread before its erasure nor what was searched for stays in it.
 */
function forgetAll(): void {
  history.replaceState(null, "", location.pathname);
  location.reload();
}

const InspectorContext = createContext<Inspector | null>(null);

/** Provides the inspector to all components below it. */
export const InspectorProvider = InspectorContext.Provider;

/**
 * Returns the inspector of the page.
 *
 * @throws Error when called outside an {@link InspectorProvider}.
 */
export function useInspector(): Inspector {
  const inspector = useContext(InspectorContext);
  if (inspector === null) throw new Error("useInspector was called outside of an InspectorProvider.");
  return inspector;
}

/** Keeps the document's title in step with what is shown. */
export const followTitle = ({ index, call, place }: Inspector): void =>
  void effect(() => {
    const { thread, erased } = index.value;
    document.title =
      erased === null
        ? `${place.value.view} · call ${call.value + 1} · ${thread.title ?? thread.id}`
        : `${thread.id} was erased`;
  });

/** Returns what the newest plan took out of the request; it is read when a component that shows it appears. */
export function useGone(): Loaded<readonly GoneRow[]> {
  const { index, readGone } = useInspector();
  return useLoaded(readGone, [readGone, index.value.thread.planVersion]);
}

/**
 * Returns the search result of a message that is gone, and requests it while the message is shown; undefined until it
 * is known, null if it cannot be had.
 *
 * @param isFirst true for a message that is looked at more closely than the rows of a list.
 */
export function useGoneSearch(message: number, isFirst = false): GoneSearch | null | undefined {
  const { index, searches } = useInspector();
  const { planVersion } = index.value.thread;
  useEffect(() => searches.want(message, isFirst), [searches, planVersion, message, isFirst]);
  return searches.found.value.get(message);
}
