import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { embeddedPage, servedPage } from "./inspector-page.ts";

const LIMIT = 100 * 1024;

const pieces = [
  { name: "index", gzip: gzipSync('{"evil":"</script><img src=x onerror=alert(1)>"}') },
  { name: "messages-0", gzip: gzipSync("[]") },
];
let embedded = "";
for await (const text of embeddedPage(pieces)) embedded += text;
const served = await servedPage();

const between = (text: string, start: string, end: string): string =>
  text.slice(text.indexOf(start) + start.length, text.indexOf(end, text.indexOf(start)));

describe("the page", () => {
  it("is at most 100 KB without what it shows", () => {
    expect(gzipSync(served).length).toBeLessThan(LIMIT);
  });

  it("allows only the script and the styles of the build, by their digests", () => {
    const policy = between(served, 'Content-Security-Policy" content="', '">');
    const digest = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src ${digest(between(served, "<style>", "</style>"))};`);
    expect(policy).toContain(`script-src ${digest(between(served, "<script>", "</script>"))};`);
    expect(policy).toContain("connect-src 'self'");
    expect(embedded).toContain("connect-src 'none'");
    expect(policy).not.toContain("unsafe");
  });

  it("loads nothing from anywhere", () => {
    expect(
      embedded.match(/<(?:link rel="(?!icon)|img|iframe)|<[^>]+\ssrc=|@import|url\(|https?:\/\/(?!www\.w3\.org)/g),
    ).toBeNull();
  });

  it("lets nothing that it shows become markup, and has the index before what runs", () => {
    expect(embedded).not.toContain("onerror=alert");
    const places = ['id="index"', "<script>", 'id="messages-0"'].map((mark) => embedded.indexOf(mark));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });
});
