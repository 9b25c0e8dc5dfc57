import { resolve } from "node:path";
import { type ClosableArtifacts, ObjectArtifacts, type ObjectArtifactsOptions } from "../shared/object-artifacts.ts";
import { fileFolder, prepareFolder } from "./file-folder.ts";

/**
 * Opens artifacts in a folder, and makes it when it is not there. Several processes may use one folder, on a file system
 * that has hard links. A call that returned has put its data on the disk.
 *
 * @throws ThreadfoldError `STORE_UNAVAILABLE` when the folder cannot be used.
 */
export async function openFileArtifacts(
  path: string,
  options: ObjectArtifactsOptions = {},
): Promise<ClosableArtifacts> {
  const root = resolve(path);
  await prepareFolder(root, Date.now());
  return new ObjectArtifacts(fileFolder(root), options);
}
