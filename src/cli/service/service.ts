/** What a service manager is to run. */
export interface Service {
  /** The program and its words, each as it is. */
  readonly command: readonly string[];
  /** A file of configuration; null: none. */
  readonly configFile: string | null;
  /** null: where it is by default. */
  readonly dataDir: string | null;
  /** Of the whole machine; else of the user alone. */
  readonly isOfSystem: boolean;
  /** It listens on a port below 1024. */
  readonly hasLowPort: boolean;
}

/** One manager's words for a service. */
export interface ServiceManagerWords {
  readonly title: string;
  /** Below the root of the file system. */
  file(isOfSystem: boolean, home: string): string;
  /** The file's bytes. */
  write(service: Service, home: string): string | Uint8Array;
  /** Commands that make it known and start it, end it and forget it, or say how it is. */
  start(file: string, isOfSystem: boolean, uid: number): readonly (readonly string[])[];
  stop(file: string, isOfSystem: boolean, uid: number): readonly (readonly string[])[];
  ask(isOfSystem: boolean, uid: number): readonly string[];
  /** After its file is gone. */
  forget(isOfSystem: boolean): readonly (readonly string[])[];
  /** What to know of it, in a line each. */
  notes(isOfSystem: boolean): readonly string[];
}

/** The name of the service everywhere. */
export const SERVICE_NAME = "overlay-companion";

export function xmlText(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
