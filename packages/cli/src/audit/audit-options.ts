import { readFileSync } from "node:fs";
import { type Checkpoint, ThreadfoldError } from "@threadfold/core";
import { ed25519PublicKey, parseCheckpoint } from "@threadfold/stores";
import type { CliCall, CliOption } from "../cli-command.ts";

export const SINCE_OPTION: CliOption = {
  flags: "--since <file>",
  description: "checkpoint that was kept elsewhere: what it saw must still be there",
};

export const PUBLIC_KEY_OPTION: CliOption = {
  flags: "--public-key <file>",
  description: "Ed25519 key in PEM that checkpoints must be signed with",
};

/** The checkpoint that `--since` names. @throws ThreadfoldError `UNREADABLE_SOURCE` or `INVALID_JSON`. */
export function checkpointOption({ since }: CliCall["options"]): Checkpoint | undefined {
  return typeof since === "string" ? parseCheckpoint(readText(since)) : undefined;
}

/** The key that `--public-key` names. @throws ThreadfoldError `UNREADABLE_SOURCE` or `INVALID_CONFIG`. */
export function publicKeyOption({ publicKey }: CliCall["options"]): string | undefined {
  return typeof publicKey === "string" ? ed25519PublicKey(readText(publicKey)) : undefined;
}

/** The text of a small file that an option names. @throws ThreadfoldError `UNREADABLE_SOURCE`. */
export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw new ThreadfoldError("UNREADABLE_SOURCE", `${path} cannot be read: ${reason}.`, { details: { path }, cause });
  }
}
