import * as z from "zod";
import { JsonFile } from "../platform/json-file.ts";
import { PUSH_LANGUAGES, type PushLanguage } from "./notice.ts";
import { type BrowserKeys, makeVapidKeys, type VapidKeys } from "./web-push.ts";

/** Browsers of all people. */
const MOST_SUBSCRIPTIONS = 500;
const PURPOSE = "push:";

/** Keeps what is in a file from who reads it; SecretBox is one. */
export interface PushSealer {
  seal(text: string, purpose: string): string;
  open(sealed: string, purpose: string): string;
}

/** A browser that its person had told by push. */
export interface Subscription {
  /** Where its push service takes messages for it: whoever knows it may send there. */
  readonly endpoint: string;
  readonly keys: BrowserKeys;
  /** The id of the person's credential. */
  readonly personId: string;
  /** Ids of desktops; absent: all. */
  readonly desktops?: readonly string[] | undefined;
  /** What its person reads there; absent: English. */
  readonly language?: PushLanguage | undefined;
  /** When its person was here last with it. */
  readonly renewedAt: string;
}

const openedSchema = z.strictObject({
  endpoint: z.url(),
  p256dh: z.string(),
  auth: z.string(),
});

const fileSchema = z.strictObject({
  version: z.literal(1),
  public_key: z.string().max(200),
  /** Sealed. */
  private_key: z.string().max(1000),
  subscriptions: z
    .array(
      z.strictObject({
        /** Address and keys, sealed. */
        browser: z.string().max(10_000),
        person: z.string().max(512),
        desktops: z.array(z.string().max(200)).max(200).exactOptional(),
        language: z.enum(PUSH_LANGUAGES).exactOptional(),
        renewed_at: z.iso.datetime(),
      }),
    )
    .max(MOST_SUBSCRIPTIONS),
});
type Stored = z.infer<typeof fileSchema>;

/** Our key pair and the browsers that are told, in a file of mode 0600; keys and addresses are sealed. */
export class Subscriptions {
  readonly vapid: VapidKeys;
  readonly #file: JsonFile<Stored>;
  readonly #sealer: PushSealer;
  /** By address, longest without a visit first. */
  readonly #all: Map<string, Subscription>;

  private constructor(
    file: JsonFile<Stored>,
    sealer: PushSealer,
    vapid: VapidKeys,
    all: readonly Subscription[],
  ) {
    this.#file = file;
    this.#sealer = sealer;
    this.vapid = vapid;
    this.#all = new Map(all.map((one) => [one.endpoint, one]));
  }

  /** Makes the key pair at the first start. Throws FileError, and what the sealer throws. */
  static async open(path: string, sealer: PushSealer): Promise<Subscriptions> {
    const file = new JsonFile(path, "a file of push subscriptions", fileSchema);
    const kept = await file.read();
    if (kept === null) {
      const made = new Subscriptions(file, sealer, makeVapidKeys(), []);
      await made.#write();
      return made;
    }
    const privateKey = sealer.open(kept.private_key, `${PURPOSE}vapid`);
    const all = kept.subscriptions.map(
      ({ browser, person, desktops, language, renewed_at }): Subscription => {
        const opened = JSON.parse(sealer.open(browser, `${PURPOSE}browser`));
        const { endpoint, ...keys } = openedSchema.parse(opened);
        return { endpoint, keys, personId: person, desktops, language, renewedAt: renewed_at };
      },
    );
    return new Subscriptions(file, sealer, { publicKey: kept.public_key, privateKey }, all);
  }

  get all(): readonly Subscription[] {
    return [...this.#all.values()];
  }

  /** In place of the one of the same address. Beyond what may be kept the one without a visit for longest goes. */
  async set(subscription: Subscription): Promise<void> {
    this.#all.delete(subscription.endpoint);
    this.#all.set(subscription.endpoint, subscription);
    for (const oldest of this.#all.keys()) {
      if (this.#all.size <= MOST_SUBSCRIPTIONS) break;
      this.#all.delete(oldest);
    }
    await this.#write();
  }

  async remove(endpoint: string): Promise<void> {
    if (this.#all.delete(endpoint)) await this.#write();
  }

  flush(): Promise<void> {
    return this.#file.flush();
  }

  #write(): Promise<void> {
    const { publicKey, privateKey } = this.vapid;
    const sealed = (text: string, name: string): string => this.#sealer.seal(text, `${PURPOSE}${name}`);
    return this.#file.write(() => ({
      ...{ version: 1, public_key: publicKey, private_key: sealed(privateKey, "vapid") },
      subscriptions: this.all.map(({ endpoint, keys, personId, desktops, language, renewedAt }) => ({
        browser: sealed(JSON.stringify({ endpoint, ...keys }), "browser"),
        person: personId,
        ...(desktops === undefined ? {} : { desktops }),
        ...(language === undefined ? {} : { language }),
        renewed_at: renewedAt,
      })),
    }));
  }
}
