import { RefusedError } from "../../desktop/error.ts";
import { StoreError } from "../error.ts";

/** What the store could not do, in words for who asked for it: throws RefusedError not_held. */
export async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const message = `the etcd of the fleet does not take it (${cause.code}): look at it before you try again`;
    throw new RefusedError("not_held", message, { cause });
  }
}
