import { library, together } from "../../tsdown.base.ts";

export default library(
  {
    index: "src/index.ts",
    laws: "src/laws/index.ts",
    sqlite: "src/sqlite/sqlite-store.ts",
    postgres: "src/postgres/index.ts",
    redis: "src/redis/redis-summary-cache.ts",
    s3: "src/s3/s3-artifacts.ts",
    filesystem: "src/filesystem/file-artifacts.ts",
  },
  together(/[\\/]stores[\\/]src[\\/](?!(?:laws|testing|sqlite|postgres|redis|s3)[\\/])/),
);
