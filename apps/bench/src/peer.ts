import type { PromptPolicy } from "@threadfold/simulation";

/** A peer of the comparison, as `peers/peers.json` lists it. */
export interface Peer {
  readonly policy: string;
  /** The package that provides the peer; its version is the installed one. */
  readonly package: string;
}

/** A peer that is not in the comparison, and why. */
export interface AbsentPeer {
  readonly name: string;
  readonly reason: string;
}

/** Loads the adapter of a peer. Only processes started in the folder of the peers have adapters. */
export type LoadPeer = (policy: string) => Promise<PromptPolicy>;

/** A loader for processes without peers. */
export const noPeer: LoadPeer = async (policy) => {
  throw new Error(`There is no policy ${policy}.`);
};
