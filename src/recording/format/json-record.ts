import { RecordingError } from "../library/error.ts";

/** Fields of a JSON object that came from a file: each is of the kind asked for, or RecordingError damaged is thrown. */
export class JsonRecord {
  readonly #fields: ReadonlyMap<string, unknown>;
  readonly #name: string;

  private constructor(fields: ReadonlyMap<string, unknown>, name: string) {
    this.#fields = fields;
    this.#name = name;
  }

  /** `name`: of the place, for errors. */
  static parse(text: string, name: string): JsonRecord {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      throw new RecordingError("damaged", `${name} is not JSON`, { cause });
    }
    return JsonRecord.of(value, name);
  }

  static of(value: unknown, name: string): JsonRecord {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new RecordingError("damaged", `${name} is no JSON object`);
    }
    return new JsonRecord(new Map(Object.entries(value)), name);
  }

  /** Of all fields. */
  get names(): string[] {
    return [...this.#fields.keys()];
  }

  text(field: string): string {
    const value = this.#fields.get(field);
    return typeof value === "string" ? value : this.#fail(field, "text");
  }

  textOrNull(field: string): string | null {
    return this.#fields.get(field) === null ? null : this.text(field);
  }

  /** Absent in what an earlier version wrote. */
  has(field: string): boolean {
    return this.#fields.has(field);
  }

  /** A whole number from 0 on. */
  count(field: string): number {
    const value = this.#fields.get(field);
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
      ? value
      : this.#fail(field, "a whole number");
  }

  record(field: string): JsonRecord {
    return JsonRecord.of(this.#fields.get(field), `${this.#name}: ${field}`);
  }

  #fail(field: string, expected: string): never {
    throw new RecordingError("damaged", `${this.#name}: ${field} is missing or not ${expected}`);
  }
}
