import type { Application } from "../bundling/bundle-application.ts";

/**
 * What runs in the page. From source it is bundled when it is first asked for; in the built package this module is replaced
 * by one that holds the texts (`tsdown.config.ts`).
 */
export const application = async (): Promise<Application> =>
  (await import("../bundling/bundle-application.ts")).bundleApplication();
