import { KEYSYM } from "../../desktop/input/keyboard.ts";

/**
 * Keysyms (X11 keysymdef.h, XF86keysym.h) by the names that people, browsers, xdotool and the models of vendors give
 * keys: lower case, without spaces, underscores and hyphens.
 */
const NAMES: Readonly<Record<string, number>> = {
  ...{ ctrl: KEYSYM.controlL, control: KEYSYM.controlL, controll: KEYSYM.controlL, ctl: KEYSYM.controlL },
  ...{ controlleft: KEYSYM.controlL, ctrlleft: KEYSYM.controlL, lctrl: KEYSYM.controlL },
  ...{ controlr: KEYSYM.controlR, controlright: KEYSYM.controlR, ctrlright: KEYSYM.controlR },
  ...{ rctrl: KEYSYM.controlR },
  ...{ shift: KEYSYM.shiftL, shiftl: KEYSYM.shiftL, shiftleft: KEYSYM.shiftL, lshift: KEYSYM.shiftL },
  ...{ shiftr: KEYSYM.shiftR, shiftright: KEYSYM.shiftR, rshift: KEYSYM.shiftR },
  ...{ alt: KEYSYM.altL, altl: KEYSYM.altL, altleft: KEYSYM.altL, lalt: KEYSYM.altL },
  ...{ option: KEYSYM.altL, opt: KEYSYM.altL },
  ...{ altr: KEYSYM.altR, altright: KEYSYM.altR, ralt: KEYSYM.altR },
  ...{ altgr: KEYSYM.level3Shift, altgraph: KEYSYM.level3Shift, isolevel3shift: KEYSYM.level3Shift },
  ...{ super: KEYSYM.superL, superl: KEYSYM.superL, superr: KEYSYM.superR },
  // Command and the Windows key are Super to X11; a browser's "Meta" is the same key.
  ...{ cmd: KEYSYM.superL, command: KEYSYM.superL, win: KEYSYM.superL, windows: KEYSYM.superL },
  ...{ meta: KEYSYM.superL, metaleft: KEYSYM.superL, metaright: KEYSYM.superR, os: KEYSYM.superL },
  ...{ metal: KEYSYM.metaL, metar: KEYSYM.metaR, hyper: KEYSYM.hyperL, hyperl: KEYSYM.hyperL },
  ...{ hyperr: KEYSYM.hyperR },
  ...{ enter: KEYSYM.return, return: KEYSYM.return, ret: KEYSYM.return, linefeed: 0xff0a },
  ...{ esc: KEYSYM.escape, escape: KEYSYM.escape, tab: KEYSYM.tab, backtab: 0xfe20, isolefttab: 0xfe20 },
  ...{ space: 0x20, spacebar: 0x20, backspace: KEYSYM.backSpace, bksp: KEYSYM.backSpace },
  ...{ delete: KEYSYM.delete, del: KEYSYM.delete, insert: 0xff63, ins: 0xff63 },
  ...{ home: 0xff50, end: 0xff57, begin: 0xff58 },
  ...{ left: 0xff51, up: 0xff52, right: 0xff53, down: 0xff54 },
  ...{ arrowleft: 0xff51, arrowup: 0xff52, arrowright: 0xff53, arrowdown: 0xff54 },
  ...{ leftarrow: 0xff51, uparrow: 0xff52, rightarrow: 0xff53, downarrow: 0xff54 },
  ...{ pageup: 0xff55, pgup: 0xff55, prior: 0xff55, pagedown: 0xff56, pgdn: 0xff56, pgdown: 0xff56 },
  ...{ next: 0xff56 },
  ...{ capslock: 0xffe5, caps: 0xffe5, shiftlock: 0xffe6, numlock: 0xff7f, scrolllock: 0xff14 },
  ...{ print: 0xff61, printscreen: 0xff61, prtsc: 0xff61, prtscr: 0xff61, sysreq: 0xff15, sysrq: 0xff15 },
  ...{ pause: 0xff13, break: 0xff6b, cancel: 0xff69, clear: 0xff0b, select: 0xff60, execute: 0xff62 },
  ...{ menu: 0xff67, contextmenu: 0xff67, apps: 0xff67, help: 0xff6a, undo: 0xff65, redo: 0xff66 },
  ...{ find: 0xff68, modeswitch: 0xff7e, multikey: 0xff20, compose: 0xff20 },
  ...{ plus: 0x2b, minus: 0x2d, hyphen: 0x2d, dash: 0x2d, equal: 0x3d, equals: 0x3d, comma: 0x2c },
  ...{ period: 0x2e, dot: 0x2e, slash: 0x2f, backslash: 0x5c, semicolon: 0x3b, colon: 0x3a },
  ...{ apostrophe: 0x27, quote: 0x27, quotedbl: 0x22, doublequote: 0x22, grave: 0x60, backtick: 0x60 },
  ...{ backquote: 0x60, asciitilde: 0x7e, tilde: 0x7e, bracketleft: 0x5b, bracketright: 0x5d },
  ...{ braceleft: 0x7b, braceright: 0x7d, parenleft: 0x28, parenright: 0x29, less: 0x3c, greater: 0x3e },
  ...{ exclam: 0x21, at: 0x40, numbersign: 0x23, dollar: 0x24, percent: 0x25, asciicircum: 0x5e },
  ...{ ampersand: 0x26, asterisk: 0x2a, underscore: 0x5f, bar: 0x7c, pipe: 0x7c, question: 0x3f },
  ...{ kpenter: 0xff8d, numpadenter: 0xff8d, kpadd: 0xffab, kpsubtract: 0xffad, kpmultiply: 0xffaa },
  ...{ kpdivide: 0xffaf, kpdecimal: 0xffae, kpequal: 0xffbd, numpadadd: 0xffab, numpadsubtract: 0xffad },
  ...{ numpadmultiply: 0xffaa, numpaddivide: 0xffaf, numpaddecimal: 0xffae },
  ...{ kphome: 0xff95, kpleft: 0xff96, kpup: 0xff97, kpright: 0xff98, kpdown: 0xff99, kppageup: 0xff9a },
  ...{ kpprior: 0xff9a, kppagedown: 0xff9b, kpnext: 0xff9b, kpend: 0xff9c, kpbegin: 0xff9d },
  ...{ kpinsert: 0xff9e, kpdelete: 0xff9f },
  // The dead keys of keysymdef.h: with the letter after them they make an accented one.
  ...{ deadgrave: 0xfe50, deadacute: 0xfe51, deadcircumflex: 0xfe52, deadtilde: 0xfe53 },
  ...{ deadmacron: 0xfe54, deadbreve: 0xfe55, deadabovedot: 0xfe56, deaddiaeresis: 0xfe57 },
  ...{ deadabovering: 0xfe58, deaddoubleacute: 0xfe59, deadcaron: 0xfe5a, deadcedilla: 0xfe5b },
  ...{ deadogonek: 0xfe5c },
  ...{ back: 0x1008ff26, browserback: 0x1008ff26, xf86back: 0x1008ff26 },
  ...{ forward: 0x1008ff27, browserforward: 0x1008ff27, xf86forward: 0x1008ff27 },
  ...{ browserhome: 0x1008ff18, xf86homepage: 0x1008ff18, browsersearch: 0x1008ff1b },
  ...{ browserrefresh: 0x1008ff29, xf86reload: 0x1008ff29, xf86refresh: 0x1008ff29 },
  ...{ volumeup: 0x1008ff13, audiovolumeup: 0x1008ff13, xf86audioraisevolume: 0x1008ff13 },
  ...{ volumedown: 0x1008ff11, audiovolumedown: 0x1008ff11, xf86audiolowervolume: 0x1008ff11 },
  ...{ mute: 0x1008ff12, audiovolumemute: 0x1008ff12, xf86audiomute: 0x1008ff12 },
  ...{ playpause: 0x1008ff14, mediaplaypause: 0x1008ff14, xf86audioplay: 0x1008ff14 },
  ...{ mediastop: 0x1008ff15, mediatracknext: 0x1008ff17, mediatrackprevious: 0x1008ff16 },
};

const F1 = 0xffbe;
const KP_0 = 0xffb0;

const functionKeys = Array.from({ length: 35 }, (_, i): [string, number] => [`f${i + 1}`, F1 + i]);
const keypadKeys = Array.from({ length: 10 }, (_, i): [string, number][] => [
  [`kp${i}`, KP_0 + i],
  [`numpad${i}`, KP_0 + i],
]).flat();
/** What a browser's KeyboardEvent.code calls letters and digits. */
const codes = [
  ...Array.from("abcdefghijklmnopqrstuvwxyz", (c): [string, number] => [`key${c}`, c.charCodeAt(0)]),
  ...Array.from("0123456789", (c): [string, number] => [`digit${c}`, c.charCodeAt(0)]),
];

/** Keysyms by name: lower case, without spaces, underscores and hyphens. */
export const KEY_NAMES: ReadonlyMap<string, number> = new Map([
  ...Object.entries(NAMES),
  ...functionKeys,
  ...keypadKeys,
  ...codes,
]);
