import { GrantedDesktops } from "../../auth/granted-desktops.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { McpDesktop, McpDesktops } from "./ports.ts";

/** The registry as the tools and resources of one caller see it. */
export class DesktopsOfCaller extends GrantedDesktops<McpDesktop, McpDesktops> implements McpDesktops {
  setActive(principalId: string, id: string): McpDesktop {
    return this.source.setActive(principalId, this.get(id).id);
  }

  lastConnected(id: string): string | null {
    return this.source.lastConnected(this.get(id).id);
  }

  async add(...args: Parameters<McpDesktops["add"]>): Promise<McpDesktop> {
    this.#checkWhole();
    return this.source.add(...args);
  }

  async propose(...args: Parameters<McpDesktops["propose"]>): Promise<McpDesktop> {
    this.#checkWhole();
    return this.source.propose(...args);
  }

  async remove(...args: Parameters<McpDesktops["remove"]>): Promise<void> {
    this.#checkWhole();
    return this.source.remove(...args);
  }

  /** Of a desktop's own connection: tools name no other. */
  async test(...args: Parameters<McpDesktops["test"]>): ReturnType<McpDesktops["test"]> {
    this.get(args[0].id);
    return this.source.test(...args);
  }

  #checkWhole(): void {
    if (this.principal.desktops === undefined) return;
    throw new RefusedError(
      "permission_denied",
      "this credential is for certain desktops, expected one for all: it adds and removes no connections",
    );
  }
}
