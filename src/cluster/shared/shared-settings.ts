import * as z from "zod";
import type { Actor } from "../../desktop/control/action.ts";
import { customRulesSchema } from "../../desktop/control/custom-rules-fields.ts";
import { MODES } from "../../desktop/control/policy.ts";
import type { FirstPolicy } from "../../desktop/control/rules-store.ts";
import type { Desktop } from "../../desktop/desktop.ts";
import type { Desktops } from "../../desktop/desktops.ts";
import type { Change } from "../store/store.ts";
import { DesktopWrites } from "./desktop-writes.ts";
import { SharedDocuments, type SharedPorts } from "./shared-documents.ts";

const SETTINGS = "/overlay-companion/settings/";

const LONGEST_NAME = 512;

/** Without what somebody may decide: who comes back is judged anew. */
const ACTOR = z.strictObject({
  kind: z.enum(["human", "agent", "extension", "replay"]),
  id: z.string().max(LONGEST_NAME),
  name: z.string().max(LONGEST_NAME),
  person: z.string().max(LONGEST_NAME).exactOptional(),
});

const SCHEMA = z.strictObject({
  mode: z.enum(MODES),
  rules: customRulesSchema.nullable(),
  limits: customRulesSchema.nullable(),
  freed_by: ACTOR.nullable(),
  /** null: agents may go on. */
  stopped_by: ACTOR.nullable(),
});
type Settings = z.infer<typeof SCHEMA>;

interface SharedSettingsOptions extends SharedPorts {
  /** See Fleet.bindingOf: what holds is said by who has the desktop alone. */
  bindingOf(desktopId: string): Change | null;
  /** What people set could not be kept. */
  onFault(error: unknown): void;
}

/**
 * What people set of the desktops of a fleet: modes, rules, and that they are stopped. It holds at once where the desktop is, and
 * is kept under its fence for the node that has it next.
 */
export class SharedSettings {
  readonly #options: SharedSettingsOptions;
  readonly #documents: SharedDocuments<Settings>;
  readonly #writes: DesktopWrites<Settings>;

  constructor(options: SharedSettingsOptions) {
    const { store, clock, sealer, onFailed, onFault } = options;
    this.#options = options;
    this.#documents = new SharedDocuments<Settings>({
      ...{ store, clock, sealer, onFailed, onChange: () => undefined },
      ...{ prefix: SETTINGS, purpose: "fleet/settings", schema: SCHEMA },
    });
    this.#writes = new DesktopWrites({ clock, onFault, write: (id, settings) => this.#write(id, settings) });
  }

  open(): Promise<void> {
    return this.#documents.open();
  }

  close(): void {
    this.#writes.close();
    this.#documents.close();
  }

  /** Those of a desktop are known. Throws StoreError. */
  refresh(desktopId: string): Promise<void> {
    return this.#documents.refresh(desktopId);
  }

  /** As RulesStore. What cannot be read here lets agents do nothing. */
  first(desktopId: string, configured: FirstPolicy): FirstPolicy {
    const settings = this.#documents.get(desktopId);
    if (settings === undefined) return { mode: "passive" };
    if (settings === null || configured.mode === "passive") return configured;
    const { mode, rules, limits, freed_by: freedBy } = settings;
    return { mode, limits, freedBy, ...(rules === null ? {} : { customRules: rules }) };
  }

  /** Keeps what people set from now on; a desktop that was stopped is stopped before it connects. */
  follow(desktops: Pick<Desktops, "on">): void {
    desktops.on(({ type, desktop }) => {
      if (type === "removed") this.#writes.forget(desktop.id);
      if (type !== "added") return;
      const settings = this.#documents.get(desktop.id);
      let stoppedBy: Actor | null = settings?.stopped_by ?? null;
      if (stoppedBy !== null) desktop.stop(stoppedBy);
      desktop.on((event) => {
        if (event.type === "stopped") stoppedBy = event.isStopped ? event.by : null;
        const isMode = event.type === "mode" && event.by.kind === "human";
        if (isMode || event.type === "stopped") this.#keep(desktop, stoppedBy);
      });
    });
  }

  /** Throws RefusedError not_held where what is set would not be kept. */
  check(desktopId: string): void {
    this.#options.bindingOf(desktopId);
  }

  /** Resolves when what was set so far is kept. Rejects with RefusedError not_held where it holds here alone, as yet. */
  settled(desktopId: string): Promise<void> {
    return this.#writes.settled(desktopId);
  }

  /** The desktop is gone, on all nodes. */
  async forget(desktopId: string): Promise<void> {
    await this.#documents.remove(desktopId);
  }

  #keep(desktop: Desktop, stoppedBy: Actor | null): void {
    const { mode, rules, limits, freedBy } = desktop.modeState();
    this.#writes.set(desktop.id, {
      ...{ mode, rules, limits },
      ...{ freed_by: writtenActor(freedBy), stopped_by: writtenActor(stoppedBy) },
    });
  }

  async #write(desktopId: string, settings: Settings): Promise<void> {
    const bound = this.#options.bindingOf(desktopId);
    if (bound !== null) await this.#documents.change(desktopId, () => settings, bound);
  }
}

function writtenActor(actor: Actor | null): Settings["freed_by"] {
  if (actor === null) return null;
  const { id, name, person } = actor;
  const cut = (text: string): string => text.slice(0, LONGEST_NAME);
  return {
    ...{ kind: actor.kind, id: cut(id), name: cut(name) },
    ...(person === undefined ? {} : { person: cut(person) }),
  };
}
