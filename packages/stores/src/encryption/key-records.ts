/** Where bytes of keys lie. Names are digests, so a listing tells nothing of the subjects. */
export interface KeyRecords {
  /** Versions that are there, in any order. */
  versions(name: string): Promise<readonly number[]>;
  read(name: string, version: number): Promise<Uint8Array | null>;
  /** Adds a version, and gives false when there is one already, which then stays. */
  add(name: string, version: number, bytes: Uint8Array): Promise<boolean>;
  /** Destroys all versions and marks the name as destroyed, for good. */
  destroy(name: string): Promise<void>;
  isDestroyed(name: string): Promise<boolean>;
}

/** Keys that live as long as the process. */
export function memoryKeyRecords(): KeyRecords {
  const kept = new Map<string, Map<number, Uint8Array>>();
  const destroyed = new Set<string>();
  return {
    versions: async (name) => [...(kept.get(name)?.keys() ?? [])],
    read: async (name, version) => kept.get(name)?.get(version)?.slice() ?? null,
    add: async (name, version, bytes) => {
      const versions = kept.get(name) ?? new Map<number, Uint8Array>();
      if (versions.has(version) || destroyed.has(name)) return false;
      kept.set(name, versions.set(version, bytes.slice()));
      return true;
    },
    destroy: async (name) => {
      for (const bytes of kept.get(name)?.values() ?? []) bytes.fill(0);
      kept.delete(name);
      destroyed.add(name);
    },
    isDestroyed: async (name) => destroyed.has(name),
  };
}
