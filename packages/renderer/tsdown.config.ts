import { library, together } from "../../tsdown.base.ts";

export default library(
  { index: "src/index.ts", laws: "src/laws/index.ts", native: "src/native/index.ts" },
  together(/[\\/]renderer[\\/]src[\\/](?!laws[\\/])/),
);
