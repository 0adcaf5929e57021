import type { Lease } from "../lease/lease.ts";
import type { Moment } from "../lease/lease-clock.ts";
import type { Holder } from "./holder.ts";
import type { Move } from "./place.ts";
import type { Assignment, NodeRecord } from "./records.ts";

/** This node under one id: from one lease to its end. */
export interface Run {
  readonly id: string;
  readonly lease: Lease;
  readonly holder: Holder;
}

/** A record as it was when this process first saw it. */
export interface Seen {
  readonly record: NodeRecord;
  readonly revision: bigint;
  readonly since: Moment;
}

/** An assignment as the table has it. */
export interface Placed {
  readonly key: string;
  readonly assignment: Assignment;
  readonly revision: bigint;
}

/** An assignment, and how it should be. */
export interface Placing {
  readonly at: Placed;
  readonly move: Move;
}
