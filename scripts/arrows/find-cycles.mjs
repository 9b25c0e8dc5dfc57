// Cycles in a graph of imports.

/**
 * Returns one shortest cycle for each cluster of files that import each other, as a list of files that ends where it
 * begins.
 * @param {Map<string, string[]>} imports what each file imports
 */
export function findCycles(imports) {
  const cycles = [];
  const covered = new Set();
  for (const file of [...imports.keys()].sort()) {
    if (covered.has(file)) continue;
    const cycle = shortestWayBack(file, imports);
    if (cycle === undefined) continue;
    for (const member of cycle) covered.add(member);
    cycles.push(cycle);
  }
  return cycles;
}

/** Searches breadth-first from `start` until an import leads back to it. */
function shortestWayBack(start, imports) {
  const cameFrom = new Map([[start, undefined]]);
  for (const file of cameFrom.keys()) {
    for (const next of imports.get(file) ?? []) {
      if (next === start) return [...wayTo(file, cameFrom), start];
      if (!cameFrom.has(next)) cameFrom.set(next, file);
    }
  }
  return undefined;
}

function wayTo(file, cameFrom) {
  const way = [];
  for (let step = file; step !== undefined; step = cameFrom.get(step)) way.unshift(step);
  return way;
}
