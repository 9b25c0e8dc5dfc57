import { library } from "../../tsdown.base.ts";

export default library({
  index: "src/index.ts",
  laws: "src/laws/index.ts",
  anthropic: "src/adapters/anthropic-model.ts",
  openai: "src/adapters/openai.ts",
  redaction: "src/redaction/index.ts",
  "ai-sdk": "src/adapters/ai-sdk-model.ts",
});
