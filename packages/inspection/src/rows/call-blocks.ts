import type { InspectionIndex } from "./inspection-index.ts";

/** The blocks of a call's request, in order, as places in `InspectionIndex.blocks`. */
export function callBlocks(
  { calls, blocks }: Pick<InspectionIndex, "calls" | "blocks">,
  call: number,
): readonly number[] {
  const places: number[] = [];
  // From the call backwards: of each earlier one, what the next one took over.
  let wanted = Number.POSITIVE_INFINITY;
  for (let at = call; at >= 0 && wanted > 0; at--) {
    const shared = calls.shared[at] ?? 0;
    if (shared >= wanted) continue;
    const first = calls.firstBlock[at] ?? 0;
    const end = calls.firstBlock[at + 1] ?? blocks.action.length;
    const own = Math.min(end - first, wanted - shared);
    for (let place = first + own - 1; place >= first; place--) places.push(place);
    wanted = shared;
  }
  return places.reverse();
}
