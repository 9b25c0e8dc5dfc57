import { library } from "../../tsdown.base.ts";

export default library({ index: "src/index.ts", sessions: "src/importing/sessions.ts", laws: "src/laws/index.ts" });
