import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The type declarations of a vendor's npm package, parsed: what its models may send. */
export class Declarations {
  readonly #file: ts.SourceFile;
  readonly #byName = new Map<
    string,
    ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.EnumDeclaration
  >();

  /** `path`: below node_modules. */
  constructor(path: string) {
    const file = fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url));
    this.#file = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node, prefix: string): void => {
      if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node)) {
        this.#byName.set(`${prefix}${node.name.text}`, node);
      } else if (ts.isModuleDeclaration(node) && node.body !== undefined && ts.isModuleBlock(node.body)) {
        for (const child of node.body.statements) visit(child, `${prefix}${node.name.text}.`);
      }
    };
    for (const statement of this.#file.statements) visit(statement, "");
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** The members of a union type: literals by their text, references by their name. */
  union(name: string): readonly string[] {
    const node = this.#byName.get(name);
    if (node === undefined || !ts.isTypeAliasDeclaration(node)) throw new Error(`no type ${name}`);
    const types = ts.isUnionTypeNode(node.type) ? node.type.types : [node.type];
    return types.map((type) => (ts.isLiteralTypeNode(type) ? textOf(type) : type.getText(this.#file)));
  }

  /** The values of an enum. */
  values(name: string): readonly string[] {
    const node = this.#byName.get(name);
    if (node === undefined || !ts.isEnumDeclaration(node)) throw new Error(`no enum ${name}`);
    return node.members.map(({ initializer }) =>
      initializer !== undefined && ts.isStringLiteral(initializer) ? initializer.text : "",
    );
  }

  /** The literal that a field of an interface must have. */
  literal(name: string, field: string): string {
    const type = this.#fields(name).find((member) => member.name.getText(this.#file) === field)?.type;
    if (type === undefined || !ts.isLiteralTypeNode(type)) throw new Error(`${name}.${field} is no literal`);
    return textOf(type);
  }

  /**
   * Every object an interface allows, as far as one value a type and every literal of a union goes: with all fields,
   * with the required ones alone, and with each field that may be null as null.
   */
  samples(name: string): readonly Record<string, unknown>[] {
    const fields = this.#fields(name).map((member) => ({
      name: member.name.getText(this.#file),
      isOptional: member.questionToken !== undefined,
      values: this.#valuesOf(member.type, name),
    }));
    const full = Object.fromEntries(fields.map((field) => [field.name, field.values[0]]));
    const least = Object.fromEntries(
      fields.filter(({ isOptional }) => !isOptional).map((field) => [field.name, field.values[0]]),
    );
    const variants = fields.flatMap((field) =>
      field.values.slice(1).map((value) => ({ ...full, [field.name]: value })),
    );
    return [full, least, ...variants];
  }

  #fields(name: string): readonly ts.PropertySignature[] {
    const node = this.#byName.get(name);
    if (node === undefined || !ts.isInterfaceDeclaration(node)) throw new Error(`no interface ${name}`);
    return node.members.filter(ts.isPropertySignature);
  }

  #valuesOf(type: ts.TypeNode | undefined, within: string): readonly unknown[] {
    if (type === undefined) throw new Error(`a field of ${within} has no type`);
    if (ts.isUnionTypeNode(type)) return type.types.flatMap((part) => this.#valuesOf(part, within));
    if (ts.isLiteralTypeNode(type))
      return [type.literal.kind === ts.SyntaxKind.NullKeyword ? null : textOf(type)];
    const text = type.getText(this.#file);
    switch (text) {
      case "number":
        return [2];
      case "string":
        return ["ctrl+s"];
      case "Array<string>":
        return [["CTRL", "SHIFT", "t"]];
      // Anthropic: a point has two numbers, a region four; which of them the name says.
      case "Array<number>":
        return [within.includes("Zoom") ? [10, 20, 110, 220] : [10, 20]];
      case "Array<Drag.Path>":
        return [this.samples("ComputerAction.Drag.Path").map((point, i) => ({ ...point, x: 2 + 50 * i }))];
      case "BetaComputerScrollDirection":
        return this.union(text);
      default:
        throw new Error(
          `${within} has a field of the type ${text}, which is new: teach the test and the tool`,
        );
    }
  }
}

function textOf(type: ts.LiteralTypeNode): string {
  if (!ts.isStringLiteral(type.literal)) throw new Error("a literal that is no text");
  return type.literal.text;
}
