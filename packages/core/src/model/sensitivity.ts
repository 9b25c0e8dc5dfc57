import { z } from "zod";

/** How far content may travel on its own, least guarded first (seed 002). */
export const sensitivitySchema = z.enum(["public", "internal", "confidential", "restricted"]);
export type Sensitivity = z.infer<typeof sensitivitySchema>;
