import { below } from "../shell/base-path.ts";

const FASTEST_MS = 500;
const SLOWEST_MS = 4000;

/**
 * Keeps an image element showing a desktop: at most two pictures a second, fewer while nothing changes (304), none while
 * the page or the tile is out of sight.
 */
export class Thumbnail {
  readonly #image: HTMLImageElement;
  readonly #address: () => string;
  readonly #watching = new AbortController();
  readonly #seen: IntersectionObserver;
  #isInView = false;
  #waitMs = FASTEST_MS;
  #timer: number | undefined;
  #isFetching = false;
  #etag: string | null = null;
  #etagAddress = "";
  #objectUrl: string | null = null;

  /** `address` is asked before each fetch, so that it may follow the tile's size. */
  constructor(image: HTMLImageElement, address: () => string) {
    this.#image = image;
    this.#address = address;
    this.#seen = new IntersectionObserver((entries) => {
      this.#isInView = entries.at(-1)?.isIntersecting ?? false;
      this.#resume();
    });
    this.#seen.observe(image);
    document.addEventListener("visibilitychange", () => this.#resume(), { signal: this.#watching.signal });
  }

  close(): void {
    this.#watching.abort();
    this.#seen.disconnect();
    clearTimeout(this.#timer);
    if (this.#objectUrl !== null) URL.revokeObjectURL(this.#objectUrl);
  }

  get #isWanted(): boolean {
    return this.#isInView && !document.hidden && !this.#watching.signal.aborted;
  }

  #resume(): void {
    clearTimeout(this.#timer);
    this.#waitMs = FASTEST_MS;
    if (this.#isWanted && !this.#isFetching) this.#timer = setTimeout(() => this.#step(), 0);
  }

  #step(): void {
    this.#isFetching = true;
    this.#fetch()
      .then(
        (isNew) => {
          this.#waitMs = isNew ? FASTEST_MS : Math.min(SLOWEST_MS, this.#waitMs * 1.5);
        },
        () => {
          this.#waitMs = SLOWEST_MS;
        },
      )
      .finally(() => {
        this.#isFetching = false;
        if (this.#isWanted) this.#timer = setTimeout(() => this.#step(), this.#waitMs);
      });
  }

  /** True where the picture was replaced. */
  async #fetch(): Promise<boolean> {
    const address = this.#address();
    const headers = new Headers({ accept: "image/*" });
    if (this.#etag !== null && this.#etagAddress === address) headers.set("if-none-match", this.#etag);
    const response = await fetch(below(address), {
      headers,
      cache: "no-store",
      signal: this.#watching.signal,
    });
    if (response.status === 304) return false;
    if (!response.ok) throw new Error(`the thumbnail's answer was ${response.status}, expected 200`);
    const url = URL.createObjectURL(await response.blob());
    const old = this.#objectUrl;
    this.#objectUrl = url;
    this.#etag = response.headers.get("etag");
    this.#etagAddress = address;
    this.#image.src = url;
    await this.#image.decode().catch(() => {});
    if (old !== null) URL.revokeObjectURL(old);
    return true;
  }
}
