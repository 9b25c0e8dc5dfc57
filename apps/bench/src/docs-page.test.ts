import { expect, it } from "vitest";
import { docsPage, sectionOf } from "./docs-page.ts";

const NOTHING = { peers: null, speed: null, folds: null, start: null, storage: null, fleet: null, pauses: null };
const SECTIONS = [
  "Side by side",
  "Pauses",
  "Speed",
  "Folds of a long thread",
  "Start",
  "Storage",
  "Many threads at once",
];

it("what was not measured here keeps its section of the page before, and its place", () => {
  const before = SECTIONS.map(
    (heading) => `## ${heading}\n\nMeasured on a day.\n\n### ${heading}, in detail\n\n1`,
  ).join("\n\n");
  const page = docsPage({ ...NOTHING, before });
  expect(page).toContain(before);
  for (const heading of SECTIONS) expect(sectionOf(page, heading)).toBe(sectionOf(before, heading));
  expect(docsPage({ ...NOTHING, before: page })).toBe(page);
});

it("says what was never measured", () => {
  const page = docsPage({ ...NOTHING, before: "" });
  expect(page.match(/ was not run\./g)).toHaveLength(SECTIONS.length);
  expect(sectionOf(page, "Speed")).toBeNull();
});
