import { existsSync } from "node:fs";

/** The folder of the package with a slash behind it: from src/ and from the built modules in dist/ alike, its package.json lies nearest above. */
export const PACKAGE_FOLDER = nearestPackage(new URL(".", import.meta.url));

function nearestPackage(folder: URL): URL {
  if (existsSync(new URL("package.json", folder))) return folder;
  const above = new URL("..", folder);
  if (above.href === folder.href) throw new Error(`no package.json in a folder above ${import.meta.url}`);
  return nearestPackage(above);
}
