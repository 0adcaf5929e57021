/** The part of a pino logger that viewers write to: fields, then a constant message. */
export interface ViewerLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
