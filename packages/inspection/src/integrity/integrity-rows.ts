import { type JournalEntry, type LegalityViolation, MerkleTree, merkleLeafOf } from "@threadfold/core";
import type { ProviderFormat } from "@threadfold/renderer";
import type { CheckpointRow, RuleRow } from "../rows/integrity.ts";

/** Problems of calls: broken rules of their format, and requests that could not be reproduced. */
export class CallProblems {
  readonly mismatches: { readonly call: number; readonly problem: string }[] = [];
  readonly #rules = new Map<string, { row: RuleRow; violations: RuleRow["violations"][number][] }>();

  /** Adds the rules of the format that a call used, and the violations found in it. */
  take(call: number, format: ProviderFormat, violations: readonly LegalityViolation[]): void {
    for (const { id, description } of format.rules.rules) {
      const key = `${format.id} ${id}`;
      if (this.#rules.has(key)) continue;
      const found: RuleRow["violations"][number][] = [];
      this.#rules.set(key, { row: { format: format.id, id, description, violations: found }, violations: found });
    }
    for (const { rule, problem, at } of violations)
      this.#rules.get(`${format.id} ${rule}`)?.violations.push({ call, problem, at });
  }

  get rules(): readonly RuleRow[] {
    return [...this.#rules.values()].map(({ row }) => row);
  }
}

/** The Merkle tree of a journal, as it grows, and its checkpoints. */
export class JournalTree {
  readonly #tree = new MerkleTree();
  readonly checkpoints: CheckpointRow[] = [];

  take({ sequence, at, hash, record }: JournalEntry): void {
    this.#tree.append(merkleLeafOf(hash));
    if (record.type !== "checkpoint-made") return;
    const { size, rootHash, signature } = record.checkpoint;
    this.checkpoints.push({ sequence, at: Date.parse(at), size, rootHash, signed: signature !== undefined });
  }

  root(): string {
    return this.#tree.root();
  }
}
