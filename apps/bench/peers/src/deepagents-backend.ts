/** A place for the files of deepagents that takes what is written and keeps nothing: the comparison reads none of it. */
export const forgetfulBackend = {
  write: async (path: string) => ({ path, filesUpdate: null }),
  edit: async (path: string) => ({ path, filesUpdate: null, occurrences: 1 }),
  read: async () => ({ error: "nothing is kept" }),
  readRaw: async () => ({ error: "nothing is kept" }),
  ls: async () => ({ files: [] }),
  glob: async () => ({ files: [] }),
  grep: async () => ({ matches: [] }),
};
