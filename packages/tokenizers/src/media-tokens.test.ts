import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { MediaPart } from "@threadfold/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANTHROPIC_MEDIA, GEMINI_MEDIA, mediaTokens, OPENAI_MEDIA } from "./media-tokens.ts";

const part = (type: MediaPart["type"], mediaType: string, data: string): MediaPart => ({
  type,
  source: { kind: "base64", mediaType, data },
});

/** The beginning of a PNG file, which says its size. */
function png(width: number, height: number): string {
  const bytes = Buffer.alloc(33);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString("base64");
}

function wave(seconds: number): string {
  const bytes = Buffer.alloc(44 + seconds * 32_000);
  bytes.write("RIFF", 0);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(32_000, 28);
  return bytes.toString("base64");
}

const pdf = (pages: number, padding = 1_000): string => {
  const page = (number: number) => `${number} 0 obj << /Type /Page /Parent 1 0 R >> endobj\n${"x".repeat(padding)}\n`;
  const body = Array.from({ length: pages }, (_, index) => page(index + 2)).join("");
  return Buffer.from(`%PDF-1.4\n1 0 obj << /Type /Pages /Count ${pages} >> endobj\n${body}`, "latin1").toString(
    "base64",
  );
};

describe("token costs of media", () => {
  it.each([
    [200, 200, 54, 255, 258],
    [1_000, 1_000, 1_334, 765, 1_032],
    [4_000, 3_000, 1_600, 765, 6_192],
    [100, 5_000, 66, 765, 1_806],
  ])("follow each provider's rule for a picture of %i by %i", (width, height, anthropic, openai, gemini) => {
    const picture = part("image", "image/png", png(width, height));
    expect(mediaTokens(picture, ANTHROPIC_MEDIA)).toBe(anthropic);
    expect(mediaTokens(picture, OPENAI_MEDIA)).toBe(openai);
    expect(mediaTokens(picture, GEMINI_MEDIA)).toBe(gemini);
  });

  it("equal the provider's maximum for a picture of unknown size", () => {
    expect(mediaTokens(part("image", "image/png", "bm8gcGljdHVyZQ=="), ANTHROPIC_MEDIA)).toBe(1_600);
    expect(mediaTokens(part("image", "image/png", "%"), ANTHROPIC_MEDIA)).toBe(1_600);
    const linked: MediaPart = { type: "image", source: { kind: "url", url: "https://example.com/a.png" } };
    expect(mediaTokens(linked, OPENAI_MEDIA)).toBe(1_105);
  });

  it("count a PDF by its pages, wherever its chunks end", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 0, max: 6_000 }), (pages, padding) => {
        expect(mediaTokens(part("file", "application/pdf", pdf(pages, padding)), ANTHROPIC_MEDIA)).toBe(3_000 * pages);
      }),
      { numRuns: 20 },
    );
  });

  it("count a PDF with compressed object streams by its pages", () => {
    const stream = (text: string, filter = "/Filter /FlateDecode") => {
      const bytes = filter === "" ? Buffer.from(text, "latin1") : deflateSync(text);
      return [
        `9 0 obj <</N 2${filter}/Type/ObjStm/Length ${bytes.length}>>\nstream\r\n`,
        bytes,
        "\nendstream endobj\n",
      ];
    };
    const page = "<< /Type /Page /Parent 1 0 R >> ";
    const costs = (...pieces: readonly (string | Uint8Array)[]) => {
      const bytes = Buffer.concat(["%PDF-1.5\n", ...pieces].map((piece) => Buffer.from(piece as string, "latin1")));
      return mediaTokens(part("file", "application/pdf", bytes.toString("base64")), GEMINI_MEDIA) / 258;
    };
    const picture = randomBytes(700_000);
    expect(costs(picture, ...stream(page.repeat(3)), ...stream("<< /Type /Pages /Count 3 >>"))).toBe(3);
    expect(costs(picture, page, ...stream(page.repeat(2)), ...stream(page, ""))).toBe(4);
    // What cannot be read, or says more than any document has, is no page.
    expect(costs("<< /Type /ObjStm /Filter /FlateDecode >> stream\nno zlib endstream")).toBe(1);
    expect(costs(...stream(page), ...stream(" ".repeat(40_000_000) + page.repeat(500)))).toBe(1);
    expect(costs("/Type /ObjStm stream\n".repeat(50_000))).toBe(22);
    expect(costs("/Type /ObjStm stream\n".repeat(50_000), "endstream")).toBe(22);
  });

  it("count a PDF without countable pages by its linearization header, or else by its length", () => {
    const linearized = Buffer.from("%PDF-1.5\n1 0 obj << /Linearized 1 /L 90000 /N 41 /O 3 >>").toString("base64");
    expect(mediaTokens(part("file", "application/pdf", linearized), GEMINI_MEDIA)).toBe(41 * 258);
    const opaque = Buffer.alloc(500_000, "z").toString("base64");
    expect(mediaTokens(part("file", "application/pdf", opaque), GEMINI_MEDIA)).toBe(10 * 258);
  });

  it("count audio by the second, text by its length, and anything else at a fixed size", () => {
    expect(mediaTokens(part("file", "audio/wav", wave(10)), GEMINI_MEDIA)).toBeLessThanOrEqual(322);
    expect(mediaTokens(part("file", "audio/wav", wave(10)), GEMINI_MEDIA)).toBeGreaterThanOrEqual(320);
    const minute = Buffer.alloc(60 * 16_000).toString("base64");
    expect(mediaTokens(part("file", "audio/mpeg", minute), OPENAI_MEDIA)).toBe(600);
    expect(mediaTokens(part("file", "text/csv", btoa("a,b\n".repeat(100))), OPENAI_MEDIA)).toBe(100);
    expect(mediaTokens(part("file", "application/zip", "AAAA"), OPENAI_MEDIA)).toBe(2_000);
  });
});
