import type { Anchor } from "./anchor.ts";
import type { FoundSecret } from "./found-secret.ts";

/** Finds the secrets of one issuer, or of a few that belong together. */
export interface SecretRule {
  /** What at least one of stands in every text in which the rule finds something. Without them the rule always looks. */
  readonly anchors?: readonly Anchor[];
  find(text: string): Promise<readonly FoundSecret[]> | readonly FoundSecret[];
}
