import { runMain } from "@threadfold/cli";

// The module that `bin/threadfold.mjs` loads. It is bundled with all of Threadfold into one file, because a command is
// started often and every file that must be found and read delays its start.
void runMain();
