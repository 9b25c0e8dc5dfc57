import { ThreadfoldError } from "@threadfold/core";

/**
 * Loads a backend together with the package that it needs and that is installed only where it is used.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the package is not installed.
 */
export async function loadDriver<Module>(packageName: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${packageName}'`)) throw cause;
    throw new ThreadfoldError("INVALID_CONFIG", `The package ${packageName} is needed for this address.`, {
      hint: `Run: npm install ${packageName}`,
      cause,
    });
  }
}
