import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { onOneLine, plainText } from "./long-text.tsx";

/** Texts of any code units, halves of pairs among them. */
const anything = fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes));

describe("plainText", () => {
  it("makes visible what would hide or reorder the text around it", () => {
    expect(plainText("a\u001b[2Jb\u202ecod\u2066\n\tz\r\n")).toBe("a\u241b[2Jb\\u202ecod\\u2066\n\tz\n");
    expect(onOneLine("a\n  b\u0000")).toBe("a b\u2400");
  });

  it("removes all of it, and leaves all other text as it is", () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(plainText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect(plainText(plainText(text))).toBe(plainText(text));
      }),
    );
    expect(plainText("Größe 👩‍💻 日本語 שלום")).toContain("日本語 שלום");
  });
});
