import type { LinkError } from "../../error.ts";

interface Waiting {
  readonly resolve: (answer: boolean) => void;
  readonly reject: (error: LinkError) => void;
}

/** What a link's thread was asked and has not answered: each question has a number. */
export class WorkerQuestions {
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  /** `send` passes the question on under its number. */
  ask(send: (id: number) => void): Promise<boolean> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      send(id);
    });
  }

  answer(id: number, answer: boolean): void {
    this.#waiting.get(id)?.resolve(answer);
    this.#waiting.delete(id);
  }

  refuse(id: number, error: LinkError): void {
    this.#waiting.get(id)?.reject(error);
    this.#waiting.delete(id);
  }

  fail(error: LinkError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
