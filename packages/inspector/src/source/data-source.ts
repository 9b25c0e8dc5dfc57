import {
  INSPECTION_VERSION,
  type InspectionIndex,
  PAGE_DATA,
  type PageData,
  type Piece,
  pieceName,
  type ThreadSize,
} from "@threadfold/inspection/rows";

/** The source of the page's data. */
export interface DataSource {
  readonly kind: ThreadData["kind"];
  /** The view that the page opens with. */
  readonly view: string;
  /** Reads the JSON of a piece. Rejects with an `Error` that says what is missing. */
  read(piece: Piece): Promise<unknown>;
  /** Reads the raw log, byte for byte. */
  readLog(): Promise<Blob>;
  /** Calls `onGrowth` when something was added, and `onConnection` when the server connects or disconnects. */
  listen(onGrowth: (size: ThreadSize) => void, onConnection: (isThere: boolean) => void): void;
}

/** Returns what the page's own document says about its data. */
export const pageData = (page: Document): PageData =>
  JSON.parse(page.getElementById(PAGE_DATA)?.textContent ?? "") as PageData;

type ThreadData = Exclude<PageData, { readonly kind: "prompts" }>;

/** Returns the source of a page that shows a thread. */
export function pageSource(page: Document, { kind, view: asked }: ThreadData): DataSource {
  const view = asked ?? "timeline";
  return kind === "served" ? servedSource(view) : embeddedSource(page, view);
}

/** Reads the index. Rejects when its shape has another version. */
export async function readIndex(source: DataSource): Promise<InspectionIndex> {
  const index = (await source.read({ kind: "index" })) as InspectionIndex;
  if (index.inspectionVersion !== INSPECTION_VERSION)
    throw new Error(
      `The data has format version ${index.inspectionVersion}, but this page reads ${INSPECTION_VERSION}. Write the page again with the version of Threadfold that produced the data.`,
    );
  return index;
}

const servedSource = (view: string): DataSource => ({
  kind: "served",
  view,
  read: async (piece) => (await fetchPiece(piece)).json(),
  readLog: async () => (await fetchPiece({ kind: "log" })).blob(),
  listen(onGrowth, onConnection) {
    const events = new EventSource("events");
    events.onmessage = ({ data }: MessageEvent<string>) => onGrowth(JSON.parse(data) as ThreadSize);
    events.onopen = () => onConnection(true);
    events.onerror = () => onConnection(false);
  },
});

async function fetchPiece(piece: Piece): Promise<Response> {
  const response = await fetch(pieceName(piece)).catch(() => {
    throw new Error(
      "The command that serves this page no longer responds. Start it again, and open the address that it prints.",
    );
  });
  if (!response.ok) throw new Error(`The server has no ${pieceName(piece)} (${response.status}).`);
  return response;
}

/** Returns the decompressed content of an element of the page that holds gzipped data. */
export async function embeddedPiece(page: Document, name: string): Promise<Response> {
  const element = page.getElementById(name) ?? (await restOf(page)).getElementById(name);
  if (element === null) throw new Error(`The page has no ${name}: it was saved without it, or cut short.`);
  const gzipped = new Blob([fromBase64(element.textContent)]);
  return new Response(gzipped.stream().pipeThrough(new DecompressionStream("gzip")));
}

const embeddedSource = (page: Document, view: string): DataSource => {
  const open = (piece: Piece): Promise<Response> => embeddedPiece(page, pieceName(piece));
  return {
    kind: "embedded",
    view,
    read: async (piece) => (await open(piece)).json(),
    readLog: async () => (await open({ kind: "log" })).blob(),
    listen: () => undefined,
  };
};

/** Elements after the script do not exist until the browser has read the file to its end. */
const restOf = (page: Document): Promise<Document> =>
  page.readyState === "loading"
    ? new Promise((resolve) => page.addEventListener("DOMContentLoaded", () => resolve(page), { once: true }))
    : Promise.resolve(page);

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if ("fromBase64" in Uint8Array) return (Uint8Array as unknown as Base64Reader).fromBase64(text);
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** `fromBase64` of ECMAScript 2026, which not every browser has. */
interface Base64Reader {
  fromBase64(text: string): Uint8Array<ArrayBuffer>;
}
