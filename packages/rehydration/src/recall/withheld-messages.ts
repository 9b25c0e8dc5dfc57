import type { ArtifactStore, CompactionPlan, MessageId, SecurityContext, Sensitivity } from "@threadfold/core";

/**
 * The externalized messages that a requester may not read, and, with `sensitivities`, those whose content is of another
 * sensitivity. Asked of the store at the time of reading, so that recall is no way around its access control.
 */
export async function withheldMessages(
  plan: CompactionPlan,
  artifacts: ArtifactStore,
  requester?: SecurityContext,
  sensitivities?: readonly Sensitivity[],
): Promise<readonly MessageId[]> {
  const withheld = plan.externalizations.map(async ({ artifactId, span }) => {
    const metadata = await artifacts.getMetadata(artifactId, requester);
    const open = metadata !== null && (sensitivities === undefined || sensitivities.includes(metadata.sensitivity));
    return open ? [] : span.messageIds;
  });
  return (await Promise.all(withheld)).flat();
}
