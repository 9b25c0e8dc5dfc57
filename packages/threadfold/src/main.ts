import { runMain } from "@threadfold/cli";

// What `bin/threadfold.mjs` loads. It is bundled into one file with all of Threadfold in it, because a command is
// started often and every file that has to be found and read makes it start later.
void runMain();
