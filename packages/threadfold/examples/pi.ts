// npm install @threadfold/integrations
// node pi.ts
import { threadfoldExtension } from "@threadfold/integrations/pi";

export default threadfoldExtension({
  storeAddress: "pi.db",
  onProblem: (problem) => process.stderr.write(`threadfold: ${JSON.stringify(problem)}\n`),
});
