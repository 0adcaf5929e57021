import { readdirSync, readFileSync } from "node:fs";
import { sep } from "node:path";
import ts from "typescript";

/** The TypeScript files below `root`, with forward slashes, in order. */
export function listSources(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => /\.[cm]?tsx?$/.test(path))
    .sort();
}

/** All that names a module: import, import type, export from, import(), import("…").T, import = require(), require(). */
export function importsOf(path: string): { specifier: string; line: number }[] {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const found: { specifier: string; line: number }[] = [];
  const visit = (node: ts.Node): void => {
    const named = moduleNamed(node);
    if (named !== undefined && ts.isStringLiteralLike(named)) {
      const { line } = source.getLineAndCharacterOfPosition(named.getStart(source));
      found.push({ specifier: named.text, line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The lines that read a member of this name, as `it.name`, `it["name"]` or `const { name } = it`. */
export function membersOf(path: string, name: string): number[] {
  const text = readFileSync(path, "utf8");
  if (!text.includes(name)) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: number[] = [];
  const visit = (node: ts.Node): void => {
    if (memberRead(node) === name) found.push(source.getLineAndCharacterOfPosition(node.getEnd()).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function memberRead(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isElementAccessExpression(node)) {
    return ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined;
  }
  if (!ts.isBindingElement(node) || !ts.isObjectBindingPattern(node.parent)) return undefined;
  const named = node.propertyName ?? node.name;
  return ts.isIdentifier(named) ? named.text : undefined;
}

function moduleNamed(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  if (!ts.isCallExpression(node)) return undefined;
  const { expression } = node;
  const isLoading =
    expression.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(expression) && expression.text === "require");
  return isLoading ? node.arguments[0] : undefined;
}
