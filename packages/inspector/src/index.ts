export { type EmbeddedPiece, embeddedPage, servedPage } from "./page/inspector-page.ts";
