import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { PAGE_DATA, PAGE_ROOT, type PageData } from "@threadfold/inspection/rows";
import type { Application } from "../bundling/bundle-application.ts";
import type { PromptPair } from "../model/prompt-pair.ts";

/** A piece of what a page shows: its name, see `pieceName`, and its JSON, gzipped. */
export interface EmbeddedPiece {
  readonly name: string;
  readonly gzip: Uint8Array;
}

/** From source it is bundled when it is first asked for; the built package holds the texts there (`tsdown.config.ts`). */
const application = async (): Promise<Application> =>
  (await import("../bundling/bundle-application.ts")).bundleApplication();

/** The page that asks the server that served it for what it shows, and hears from it when there is more. */
export async function servedPage(): Promise<string> {
  const parts = await application();
  return head(parts, "'self'") + about({ kind: "served" }) + foot(parts);
}

/**
 * The page as one file, in texts that follow each other: everything is in it, and it asks for nothing from anywhere.
 *
 * @param pieces the index first: it stands before what runs and all others after it, so that a browser shows the one
 * before it has read the other.
 * @param place where it opens.
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

/** A page with two prompts beside each other, from the first difference on. It asks for nothing from anywhere. */
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
<noscript><p class="opening">This page draws itself, and needs JavaScript for that. It asks for nothing from anywhere.</p></noscript>
`;
}

const foot = ({ script }: Application): string => `<script>${script}</script>\n`;

const about = (source: PageData): string =>
  `<script type="application/json" id="${PAGE_DATA}">${JSON.stringify(source)}</script>\n`;

/** A browser does not run a script of this kind, and base64 has no character that could end it. */
const data = (id: string, bytes: Uint8Array): string =>
  `<script type="application/octet-stream" id="${id}">${Buffer.from(bytes).toString("base64")}</script>\n`;

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The mark: a line that is folded over itself. */
const ICON = `data:image/svg+xml;base64,${Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#4f63d8" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="M2.5 3.5h11l-6 4.5h6l-11 4.5"/></svg>`,
).toString("base64")}`;
