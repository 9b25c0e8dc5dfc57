import type { ArtifactStore } from "./artifact-store.ts";
import type { AuditJournal } from "./audit-journal.ts";
import type { CompactionStore } from "./compaction-store.ts";
import type { RecallIndex } from "./recall-index.ts";
import type { ThreadRanges } from "./thread-ranges.ts";
import type { ThreadStore } from "./thread-store.ts";

/** All that one backend keeps. */
export interface ThreadfoldStore {
  readonly threads: ThreadStore;
  readonly plans: CompactionStore;
  readonly artifacts: ArtifactStore;
  readonly journal: AuditJournal;
  /** Reads parts of threads; where it is absent, a thread that goes on is loaded as a whole. */
  readonly ranges?: ThreadRanges;
  /** Search over the backend's own index; absent where threads are indexed in memory. */
  readonly recall?: RecallIndex;
  close(): Promise<void>;
}
