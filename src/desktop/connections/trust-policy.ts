import { createHash } from "node:crypto";
import { LinkError } from "../error.ts";
import type { KnownTargets } from "./known-targets.ts";
import { placeOf } from "./target-place.ts";

/**
 * Whose certificate or key is believed. "ca": one that an authority this machine trusts has signed; "tofu": that, or
 * the one seen at the first connection; "insecure": any.
 */
export const TLS_TRUST = ["ca", "tofu", "insecure"] as const;
export type TlsTrust = (typeof TLS_TRUST)[number];

/** Where a target is, and what is known about it. */
export interface TrustedTarget {
  readonly host: string;
  readonly port: number;
  /** SHA-256 of its certificate or key, 64 hex digits; null where none is configured. A configured one is all that counts. */
  readonly fingerprint: string | null;
}

/** What a target showed. */
export interface ShownIdentity {
  readonly what: "certificate" | "key";
  /** DER of the certificate, or the key as the wire has it. */
  readonly bytes: Uint8Array;
  /** Why no authority vouches for it; null where one does. */
  readonly distrust: string | null;
}

/** By what a target is known. */
export interface KnownIdentity {
  /** Of its certificate or key, as openssl prints it. */
  readonly sha256: string;
  readonly isConfigured: boolean;
  /** It was believed by what it showed first, in this process. */
  readonly isNew: boolean;
}

/** Judges what one target shows. */
export class TargetTrust {
  readonly #target: TrustedTarget;
  readonly #mode: TlsTrust;
  readonly #known: KnownTargets | null;

  /** Without `known`, "tofu" remembers nothing and believes everyone. */
  constructor(target: TrustedTarget, mode: TlsTrust, known: KnownTargets | null) {
    this.#target = target;
    this.#mode = mode;
    this.#known = known;
  }

  /** It proved who it is before, or is configured to: it may not sign us in without proving it again. */
  get needsIdentity(): boolean {
    if (this.#target.fingerprint !== null) return true;
    return this.#mode === "tofu" && this.#known?.fingerprintOf(this.place) !== undefined;
  }

  /** What it has to show; null where it has shown nothing yet, or anything is believed. */
  get identity(): KnownIdentity | null {
    const { fingerprint } = this.#target;
    if (fingerprint !== null) return { sha256: colons(fingerprint), isConfigured: true, isNew: false };
    const seen = this.#mode === "tofu" ? this.#known?.fingerprintOf(this.place) : undefined;
    if (seen === undefined) return null;
    return { sha256: colons(seen), isConfigured: false, isNew: this.#known?.isNew(this.place) ?? false };
  }

  /** Rejects with a final LinkError where it is not to be believed: cert_mismatch, or refused without an authority. */
  async judge({ what, bytes, distrust }: ShownIdentity): Promise<void> {
    const got = createHash("sha256").update(bytes).digest("hex");
    const configured = this.#target.fingerprint;
    if (configured !== null) {
      if (configured === got) return;
      throw this.#mismatch(what, got, configured, "is configured: correct it if the target was set up anew");
    }
    if (this.#mode === "insecure") return;
    if (this.#mode === "ca") {
      if (distrust === null) return;
      throw new LinkError(
        "refused",
        `the ${what} of ${this.place} is not trusted (${distrust}): have this machine trust its authority, or configure its SHA-256 fingerprint ${colons(got)}`,
        { isFinal: true },
      );
    }
    const seen = this.#known?.fingerprintOf(this.place);
    if (seen === got) return;
    if (seen !== undefined && distrust !== null) {
      this.#known?.doubt(this.place, got);
      const next = `was seen before: if the target was set up anew, forget the old one (POST /api/v1/desktops/ID/forget-identity, or overlay-companion targets forget '${this.place}' while it does not run)`;
      throw this.#mismatch(what, got, seen, next);
    }
    await this.#known?.remember(this.place, got);
  }

  /** Under which its fingerprint is remembered: "host:port". */
  get place(): string {
    return placeOf(this.#target.host, this.#target.port);
  }

  #mismatch(what: string, got: string, expected: string, next: string): LinkError {
    return new LinkError(
      "cert_mismatch",
      `the ${what} of ${this.place} has the SHA-256 fingerprint ${colons(got)}, and ${colons(expected)} ${next}`,
      { isFinal: true },
    );
  }
}

/** As openssl prints it: "AB:CD:…". */
function colons(hex: string): string {
  return (hex.toUpperCase().match(/../g) ?? []).join(":");
}
