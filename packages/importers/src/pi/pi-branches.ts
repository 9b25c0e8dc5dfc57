import { shortId } from "../draft/short-id.ts";
import type { PiEntry } from "./pi-entry.ts";

/** Longest branch path, in segments. Deeper nesting is cut, for hostile logs would make paths grow without bound. */
const MAX_SEGMENTS = 16;

/** Where an entry stands in the tree of a session. */
export interface PiPlace {
  /** Path of the side branch, or undefined on the main one. */
  readonly branch: string | undefined;
  /** The parent that the entry names, when the log has no such entry before it. */
  readonly missingParent: string | undefined;
}

/**
 * Finds the branch of every entry. The path from the last entry to the root is the main branch: it is what pi sends.
 * Every other entry is on a side branch, named after the first entry that left the path.
 *
 * An entry whose parent is lost (a malformed line) follows the entry before it, so that one bad line does not cut the
 * history off. Sessions of version 1 have no tree and one branch.
 */
export function piBranches(entries: readonly (PiEntry | undefined)[]): readonly PiPlace[] {
  const parents = resolveParents(entries);
  const chains = chainsOf(parents.map(({ parent }) => parent));
  const paths = new Map<number, string | undefined>();
  return parents.map(({ missingParent, parent }, index) => {
    const chain = chains[index] as number;
    if (!paths.has(chain)) paths.set(chain, pathOf(chain, chains, parent, entries[index], paths));
    return { branch: paths.get(chain), missingParent };
  });
}

interface Parent {
  /** Index of the parent, or −1 for none. */
  readonly parent: number;
  readonly missingParent: string | undefined;
}

function resolveParents(entries: readonly (PiEntry | undefined)[]): readonly Parent[] {
  const byId = new Map<string, number>();
  return entries.map((entry, index) => {
    const wanted = entry?.parentId;
    const isTree = entry !== undefined && entry.type !== "session" && wanted !== undefined;
    const known = typeof wanted === "string" ? byId.get(wanted) : undefined;
    if (entry?.id !== undefined && entry.type !== "session") byId.set(entry.id, index);
    if (!isTree) return { parent: index - 1, missingParent: undefined };
    if (wanted === null) return { parent: -1, missingParent: undefined };
    return { parent: known ?? index - 1, missingParent: known === undefined ? wanted : undefined };
  });
}

/** Gives each entry the index of the newest entry that descends from it: entries with the same one form a chain. */
function chainsOf(parents: readonly number[]): readonly number[] {
  const chains: number[] = new Array(parents.length).fill(-1);
  for (let index = parents.length - 1; index >= 0; index--) {
    if (chains[index] === -1) chains[index] = index;
    const parent = parents[index] as number;
    if (parent >= 0 && chains[parent] === -1) chains[parent] = chains[index] as number;
  }
  return chains;
}

function pathOf(
  chain: number,
  chains: readonly number[],
  parent: number,
  head: PiEntry | undefined,
  paths: ReadonlyMap<number, string | undefined>,
): string | undefined {
  if (chain === chains.length - 1) return undefined;
  const above = parent >= 0 ? paths.get(chains[parent] as number) : undefined;
  const segments = above === undefined ? [] : above.split("/").slice(0, MAX_SEGMENTS - 1);
  return [...segments, shortId(head?.id ?? `line-${head?.line}`).replaceAll("/", "_")].join("/");
}
