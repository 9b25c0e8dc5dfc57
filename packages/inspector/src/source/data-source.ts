import {
  INSPECTION_VERSION,
  type InspectionIndex,
  PAGE_DATA,
  type PageData,
  type Piece,
  pieceName,
  type ThreadSize,
} from "@threadfold/inspection/rows";

/** Where the page gets what it shows. */
export interface DataSource {
  readonly kind: ThreadData["kind"];
  /** The view that the page opens with. */
  readonly view: string;
  /** The JSON of a piece. Rejects with an `Error` that says what is missing. */
  read(piece: Piece): Promise<unknown>;
  /** The raw log, byte for byte. */
  readLog(): Promise<Blob>;
  /** Calls back when something was added, and when the server comes and goes. */
  listen(onGrowth: (size: ThreadSize) => void, onConnection: (isThere: boolean) => void): void;
}

/** What the page's own document says of its data. */
export const pageData = (page: Document): PageData =>
  JSON.parse(page.getElementById(PAGE_DATA)?.textContent ?? "") as PageData;

type ThreadData = Exclude<PageData, { readonly kind: "prompts" }>;

/** The source of a page that shows a thread. */
export function pageSource(page: Document, { kind, view: asked }: ThreadData): DataSource {
  const view = asked ?? "timeline";
  return kind === "served" ? servedSource(view) : embeddedSource(page, view);
}

/** Reads the index, and refuses one of another shape. */
export async function readIndex(source: DataSource): Promise<InspectionIndex> {
  const index = (await source.read({ kind: "index" })) as InspectionIndex;
  if (index.inspectionVersion !== INSPECTION_VERSION)
    throw new Error(
      `The data has shape ${index.inspectionVersion}, and this page reads ${INSPECTION_VERSION}. Make the page again with the version of Threadfold that made the data.`,
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
      "The command that serves this page no longer answers. Start it again, and open the page that it names.",
    );
  });
  if (!response.ok) throw new Error(`The server has no ${pieceName(piece)} (${response.status}).`);
  return response;
}

/** What stands in an element of the page, gzipped. */
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

/** What stands behind the script is not there before the browser has read the file to its end. */
const restOf = (page: Document): Promise<Document> =>
  page.readyState === "loading"
    ? new Promise((resolve) => page.addEventListener("DOMContentLoaded", () => resolve(page), { once: true }))
    : Promise.resolve(page);

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if ("fromBase64" in Uint8Array) return (Uint8Array as unknown as Base64Reader).fromBase64(text);
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** As ECMAScript 2026 has it, which not every browser does. */
interface Base64Reader {
  fromBase64(text: string): Uint8Array<ArrayBuffer>;
}
