import { library } from "../../tsdown.base.ts";

export default library({ index: "src/index.ts", conformance: "src/conformance/store-conformance.ts" });
