import { library } from "../../tsdown.base.ts";

export default library({ index: "src/index.ts", "pg-boss": "src/worker/pg-boss-queue.ts" });
