import type { ConnectionBody } from "../../api/api.ts";
import { rdpFromForm } from "./rdp-form.ts";
import { wayFromForm } from "./transport-choice.ts";

/** A form's fields by name; a browser's FormData is one. */
export interface FilledForm {
  get(name: string): unknown;
}

function field(form: FilledForm, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

/** The protocol a form control names; VNC for anything else. */
export function protocolNamed(name: string): ConnectionBody["protocol"] {
  return name === "kasmvnc" || name === "rdp" ? name : "vnc";
}

/**
 * The body of `POST /api/v1/desktops` from the add dialog. Fields left empty are left out. A host with a port
 * ("box:5901") fills the port field's place; a bracketed IPv6 address loses its brackets.
 */
export function connectionFromForm(form: FilledForm): ConnectionBody {
  const asked = field(form, "host").trim();
  const parts = /^(?:\[(?<v6>[^\]]+)\]|(?<plain>[^:]+))(?::(?<port>\d{1,5}))?$/.exec(asked)?.groups;
  const host = parts?.["v6"] ?? parts?.["plain"] ?? asked;
  const port = field(form, "port") || parts?.["port"] || "";
  const name = field(form, "name").trim();
  const username = field(form, "username").trim();
  const password = field(form, "password");
  const protocol = protocolNamed(field(form, "protocol"));
  return {
    protocol,
    ...(host === "" ? {} : { host }),
    ...(port === "" ? {} : { port: Number(port) }),
    ...(name === "" ? {} : { name }),
    ...(username === "" ? {} : { username }),
    ...(password === "" ? {} : { password }),
    ...wayFromForm(form),
    ...(protocol === "rdp" ? rdpFromForm(form) : {}),
  };
}
