import { findEncodedSecrets } from "./find-encoded-secrets.ts";
import { findPlainSecrets } from "./find-plain-secrets.ts";
import type { FoundSecret } from "./found-secret.ts";

/** The secrets in a text, as they are and in base64, in no order. Stretches may overlap. */
export async function findSecrets(text: string): Promise<readonly FoundSecret[]> {
  return [...(await findPlainSecrets(text)), ...(await findEncodedSecrets(text))];
}
