import { runMain } from "./run-main.ts";

await runMain();
