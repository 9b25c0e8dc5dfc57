import type { GoneRow } from "@threadfold/inspection/rows";
import { useInspector } from "./inspector.ts";
import { type Loaded, useLoaded } from "./loaded.ts";

/** What the newest plan took out of the request, which is looked for when somebody sees it. */
export function useGone(): Loaded<readonly GoneRow[]> {
  const { index, readGone } = useInspector();
  return useLoaded(readGone, [readGone, index.value.thread.planVersion]);
}
