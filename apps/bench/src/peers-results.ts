import type { PolicyFigures } from "@threadfold/simulation";
import type { BenchMachine } from "./bench-machine.ts";
import type { AbsentPeer } from "./peer.ts";
import type { GivenUp } from "./peers-pool.ts";

/** The kind of a policy: one of our presets, a baseline to compare with, or a peer's. */
export type PolicyKind = "preset" | "baseline" | "peer";

/** The results of the comparison. */
export interface PeersResults {
  readonly schemaVersion: 1;
  readonly machine: BenchMachine;
  /** True for a sample run, which only shows that the comparison works. */
  readonly sample: boolean;
  readonly summarizer: string;
  readonly processes: number;
  readonly seconds: number;
  readonly sessions: readonly {
    readonly name: string;
    readonly calls: number;
    readonly tokens: number;
    readonly needs: number;
  }[];
  readonly policies: readonly (PolicyFigures & { readonly kind: PolicyKind })[];
  /** The version of each peer's package. */
  readonly versions: Readonly<Record<string, string>>;
  readonly absent: readonly AbsentPeer[];
  readonly givenUp: readonly GivenUp[];
}
