/** A file backend for deepagents that accepts writes and stores nothing: the comparison reads none of its files. */
export const forgetfulBackend = {
  write: async (path: string) => ({ path, filesUpdate: null }),
  edit: async (path: string) => ({ path, filesUpdate: null, occurrences: 1 }),
  read: async () => ({ error: "nothing is kept" }),
  readRaw: async () => ({ error: "nothing is kept" }),
  ls: async () => ({ files: [] }),
  glob: async () => ({ files: [] }),
  grep: async () => ({ matches: [] }),
};
