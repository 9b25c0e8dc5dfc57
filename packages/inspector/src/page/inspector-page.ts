import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { PAGE_DATA, PAGE_ROOT, type PageData } from "@threadfold/inspection/rows";
import type { Application } from "../bundling/bundle-application.ts";
import type { PromptPair } from "../model/prompt-pair.ts";

/** A piece of the page's data: its name (see `pieceName`) and its gzipped JSON. */
export interface EmbeddedPiece {
  readonly name: string;
  readonly gzip: Uint8Array;
}

/**
 * From source, the application is bundled on demand; the built package has its texts inlined here (`tsdown.config.ts`).
 */
const application = async (): Promise<Application> =>
  (await import("../bundling/bundle-application.ts")).bundleApplication();

/** Returns the page that loads its data from the server that served it and is notified when there is more. */
export async function servedPage(): Promise<string> {
  const parts = await application();
  return head(parts, "'self'") + about({ kind: "served" }) + foot(parts);
}

/**
 * Yields the page as one file, in consecutive texts: it contains everything it shows and makes no requests.
 *
 * @param pieces the index first: it comes before the script, and all other pieces after the script, so that a browser
 * shows the index before it has read the rest.
 * @param place where the page opens.
 */
export async function* embeddedPage(
  pieces: AsyncIterable<EmbeddedPiece> | Iterable<EmbeddedPiece>,
  place: { readonly view?: "presets" } = {},
): AsyncGenerator<string> {
  const parts = await application();
  yield head(parts, "'none'") + about({ kind: "embedded", ...place });
  let isFirst = true;
  for await (const { name, gzip } of pieces) {
    yield data(name, gzip);
    if (isFirst) yield foot(parts);
    isFirst = false;
  }
}

/** Returns a page with two prompts side by side, from the first difference on. It makes no requests. */
export async function promptsPage(pair: PromptPair): Promise<string> {
  const parts = await application();
  return (
    head(parts, "'none'") + about({ kind: "prompts" }) + data("prompts", gzipSync(JSON.stringify(pair))) + foot(parts)
  );
}

function head({ script, style }: Application, connections: string): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    `connect-src ${connections}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Threadfold inspector</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
<div id="${PAGE_ROOT}"><p class="opening">Opening the thread…</p></div>
<noscript><p class="opening">This page needs JavaScript to render. It makes no requests to other sites.</p></noscript>
`;
}

const foot = ({ script }: Application): string => `<script>${script}</script>\n`;

const about = (source: PageData): string =>
  `<script type="application/json" id="${PAGE_DATA}">${JSON.stringify(source)}</script>\n`;

/** Browsers do not run a script of this type, and base64 has no character that could end the element. */
const data = (id: string, bytes: Uint8Array): string =>
  `<script type="application/octet-stream" id="${id}">${Buffer.from(bytes).toString("base64")}</script>\n`;

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The logo: a line folded over itself. */
const ICON = `data:image/svg+xml;base64,${Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#4f63d8" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="M2.5 3.5h11l-6 4.5h6l-11 4.5"/></svg>`,
).toString("base64")}`;
