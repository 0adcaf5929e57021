import type * as z from "zod";

/** What an answer that is no JSON is: its media type. */
export interface BytesAnswer {
  readonly type: string;
}

/** What the reference says of a route beside what the route itself says: who may use it, and its parameters. */
export interface Operation {
  /** One sentence, without a dot. */
  readonly summary: string;
  /** An object, each of whose fields is a parameter of the query. */
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Default 200; 204 has no answer. */
  readonly status?: 200 | 201 | 204 | 303;
  readonly answer?: z.ZodType | BytesAnswer;
  /** Of a WebSocket: what comes, and what may be sent, as JSON; without either it carries bytes. */
  readonly receives?: z.ZodType;
  readonly sends?: z.ZodType;
}

/** By "METHOD /path/:as/it/is/registered". */
export type Operations = Readonly<Record<string, Operation>>;
