import { type ChatRequest, digestOf, sha256 } from "@threadfold/core";

/** For each message the digest of the request up to and including it. `salt` names what else the bytes depend on. */
export function prefixDigests({ system, tools, messages }: ChatRequest, salt: string): readonly string[] {
  let link = digestOf({ salt, system, tools });
  return messages.map(({ role, parts, providerMetadata }) => {
    link = sha256(link + digestOf({ role, parts, ...(providerMetadata !== undefined && { providerMetadata }) }));
    return link;
  });
}
