import type { MediaPart } from "@threadfold/core";
import { imageSize } from "image-size";

/** How images are charged, by width and height in pixels. Providers scale larger ones down first. */
type ImageRule =
  /** By area, as Anthropic does. */
  | { readonly by: "area"; readonly longestEdge: number; readonly pixelsPerToken: number; readonly most: number }
  /** By tiles, as OpenAI and Google do; an image whose edges are both at most `small` is one tile. */
  | {
      readonly by: "tiles";
      readonly longestEdge: number;
      readonly shortestEdge: number;
      readonly tileEdge: number;
      readonly small: number;
      readonly base: number;
      readonly tile: number;
    };

/** What a provider charges for content other than text, in tokens. */
export interface MediaCharges {
  readonly imageRule: ImageRule;
  /** For an image whose size cannot be determined here. */
  readonly image: number;
  readonly pdfPage: number;
  readonly audioSecond: number;
  /** For a document whose length cannot be determined here. */
  readonly file: number;
}

/** platform.claude.com, "Vision" and "PDF support": width × height / 750 after scaling; up to 3,000 tokens per page. */
export const ANTHROPIC_MEDIA = Object.freeze<MediaCharges>({
  imageRule: { by: "area", longestEdge: 1_568, pixelsPerToken: 750, most: 1_600 },
  image: 1_600,
  pdfPage: 3_000,
  audioSecond: 32,
  file: 3_000,
});

/**
 * developers.openai.com, "Images and vision": 85 tokens plus 170 per tile of 512 pixels; a page is text and an image.
 */
export const OPENAI_MEDIA = Object.freeze<MediaCharges>({
  imageRule: { by: "tiles", longestEdge: 2_048, shortestEdge: 768, tileEdge: 512, small: 0, base: 85, tile: 170 },
  image: 1_105,
  pdfPage: 1_500,
  audioSecond: 10,
  file: 2_000,
});

/** ai.google.dev, "Understand and count tokens": 258 tokens per tile of 768 pixels or page, 32 per second of audio. */
export const GEMINI_MEDIA = Object.freeze<MediaCharges>({
  imageRule: {
    by: "tiles",
    longestEdge: Number.POSITIVE_INFINITY,
    shortestEdge: Number.POSITIVE_INFINITY,
    tileEdge: 768,
    small: 384,
    base: 0,
    tile: 258,
  },
  image: 1_290,
  pdfPage: 258,
  audioSecond: 32,
  file: 2_580,
});

/**
 * How many base64 characters are read to find an image's size, which may follow camera metadata; a multiple of four.
 */
const HEAD_CHARACTERS = 1 << 18;
const BYTES_PER_TOKEN = 4;
/** Used when a PDF does not say how many pages it has. */
const BYTES_PER_PAGE = 50_000;
/** Used for audio whose header does not say its rate: 128 kbit/s. */
const BYTES_PER_SECOND = 16_000;

/**
 * Returns the tokens of an image, document or recording. If its content cannot be read, an upper estimate is charged.
 */
export function mediaTokens({ type, source }: MediaPart, charges: MediaCharges): number {
  if (source.kind !== "base64") return type === "image" ? charges.image : charges.file;
  const { data, mediaType } = source;
  if (type === "image") return imageTokens(data, charges);
  if (mediaType === "application/pdf") return pagesOf(data) * charges.pdfPage;
  if (mediaType.startsWith("audio/")) return Math.ceil(secondsOf(data) * charges.audioSecond);
  return mediaType.startsWith("text/") ? Math.ceil(byteLength(data) / BYTES_PER_TOKEN) : charges.file;
}

function imageTokens(data: string, { imageRule, image }: MediaCharges): number {
  try {
    const { width, height } = imageSize(bytesOf(data, 0, HEAD_CHARACTERS));
    return width > 0 && height > 0 ? tokensBySize(width, height, imageRule) : image;
  } catch {
    return image;
  }
}

/** Returns the tokens of an image of this size. */
function tokensBySize(width: number, height: number, rule: ImageRule): number {
  const fit = Math.min(1, rule.longestEdge / Math.max(width, height));
  if (rule.by === "area") return Math.min(rule.most, Math.ceil((width * height * fit ** 2) / rule.pixelsPerToken));
  if (Math.max(width, height) <= rule.small) return rule.base + rule.tile;
  const scale = fit * Math.min(1, rule.shortestEdge / (Math.min(width, height) * fit));
  const tiles = (edge: number): number => Math.max(1, Math.ceil((edge * scale) / rule.tileEdge));
  return rule.base + rule.tile * tiles(width) * tiles(height);
}

const PAGE = /\/Type\s*\/Page(?![a-zA-Z])/g;
const LINEARIZED_PAGES = /\/Linearized\b[^>]{0,200}?\/N\s+(\d+)/;
/** Longer than the text that begins a page. */
const OVERLAP = 64;

/**
 * The pages of a PDF: as its first object states, else the page objects counted, else by length. Read piece by piece.
 */
function pagesOf(data: string): number {
  let pages = 0;
  let isCompressed = false;
  let rest = "";
  for (let from = 0; from < data.length; from += HEAD_CHARACTERS) {
    const text = rest + latin(data, from);
    const said = from === 0 ? LINEARIZED_PAGES.exec(text.slice(0, 1_024))?.[1] : undefined;
    if (said !== undefined) return Math.max(1, Number(said));
    pages += countOf(text) - countOf(rest);
    isCompressed ||= text.includes("/ObjStm");
    rest = text.slice(-OVERLAP);
  }
  if (isCompressed) pages += pagesInStreams(latin(data, 0, data.length));
  return pages > 0 ? pages : Math.max(1, Math.ceil(byteLength(data) / BYTES_PER_PAGE));
}

const countOf = (text: string): number => text.match(PAGE)?.length ?? 0;

const OBJECT_STREAM = /\/Type\s*\/ObjStm\b.{0,500}?\bstream\r?\n/s;
/** Object streams hold small objects only, such as pages: a document of a thousand pages has some hundred kilobytes. */
const MOST_INFLATED_BYTES = 1 << 25;

/** The page objects in the compressed object streams of a PDF (ISO 32000-1, 7.5.7), as far as this host can read them. */
function pagesInStreams(text: string): number {
  let pages = 0;
  let room = MOST_INFLATED_BYTES;
  for (const piece of text.split("endstream").slice(0, -1)) {
    const found = OBJECT_STREAM.exec(piece);
    if (found === null || room <= 0) continue;
    const objects = inflated(piece.slice(found.index + found[0].length), room);
    room -= objects.length;
    pages += countOf(objects);
  }
  return pages;
}

type Inflate = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

/** Inflates a text of one character per byte; empty if it is not compressed in this way, or would be longer than that. */
function inflated(text: string, maxOutputLength: number): string {
  const host = globalThis as {
    process?: { getBuiltinModule?: (name: string) => { inflateSync?: Inflate } | undefined };
  };
  const inflate = host.process?.getBuiltinModule?.("node:zlib")?.inflateSync;
  try {
    return new TextDecoder("latin1").decode(inflate?.(bytesIn(text), { maxOutputLength }));
  } catch {
    return "";
  }
}

/** The seconds of a recording: by the byte rate in the header of a WAV file, else assuming usual compression. */
function secondsOf(data: string): number {
  const head = bytesOf(data, 0, 64);
  const isWave = String.fromCharCode(...head.slice(0, 4), ...head.slice(8, 12)) === "RIFFWAVE";
  const said = isWave && head.length >= 32 ? new DataView(head.buffer).getUint32(28, true) : 0;
  return byteLength(data) / (said > 0 ? said : BYTES_PER_SECOND);
}

const byteLength = (data: string): number =>
  Math.floor((data.length * 3) / 4) - (/=*$/.exec(data.slice(-2))?.[0].length ?? 0);

/** Decodes base64 to one character per byte; empty when the data is not base64. */
function latin(data: string, from: number, length = HEAD_CHARACTERS): string {
  try {
    return atob(data.slice(from, from + length));
  } catch {
    return "";
  }
}

const bytesOf = (data: string, from: number, length: number): Uint8Array<ArrayBuffer> =>
  bytesIn(latin(data, from, length));

const bytesIn = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));
