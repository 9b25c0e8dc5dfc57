type SqliteModule = typeof import("node:sqlite");

let loaded: SqliteModule | undefined;

/**
 * Node's SQLite. Older Node versions print a warning that the module is experimental when it is loaded; that one warning
 * is held back, because it says nothing that a user of this store could act on. All other warnings stay.
 */
export function loadSqlite(): SqliteModule {
  loaded ??= withoutExperimentalWarning(() => process.getBuiltinModule("node:sqlite"));
  return loaded;
}

function withoutExperimentalWarning<Result>(work: () => Result): Result {
  const original = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    const kind = typeof rest[0] === "string" ? rest[0] : (rest[0] as { type?: string } | undefined)?.type;
    if (kind === "ExperimentalWarning" && String(warning).includes("SQLite")) return;
    Reflect.apply(original, process, [warning, ...rest]);
  }) as typeof process.emitWarning;
  try {
    return work();
  } finally {
    process.emitWarning = original;
  }
}
