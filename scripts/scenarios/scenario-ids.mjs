// The scenarios of conformance.md by family, so that the list is complete even without that file.

/** Number of scenarios in each family: A1 to A12, and so on. */
export const FAMILIES = { A: 12, C: 11, G: 11, L: 29, S: 42, V: 15, W: 19 };

/** Returns the ids on a page of requirements, from the first cell of its rows. @returns {string[]} */
export const requirementsIn = (page) => [...page.matchAll(/^\| <a id="([a-z-]+-\d+)"><\/a>/gm)].map(([, id]) => id);

/** The scenarios that the planner is responsible for. */
export const PLANNER_FAMILIES = ["A", "G", "S", "V"];
export const PLANNER_IDS = ["L4", "L20", "L29"];

/** @returns {string[]} every id, family by family */
export function allIds() {
  return Object.entries(FAMILIES).flatMap(([family, count]) =>
    Array.from({ length: count }, (_, index) => `${family}${index + 1}`),
  );
}

export const isPlannerId = (id) => PLANNER_FAMILIES.includes(id[0]) || PLANNER_IDS.includes(id);

/** Returns the ids that a conformance document defines: in the first cell of table rows, or between dots in a list. */
export function idsIn(document) {
  const rows = [...document.matchAll(/^\|\s*([A-Z]\d+)\s*\|/gm)];
  const items = [...document.matchAll(/(?:^|· )([A-Z]\d+) [^·|\n]+(?=·|\.)/gm)];
  return [...new Set([...rows, ...items].map(([, id]) => id))].filter((id) => id[0] in FAMILIES);
}
