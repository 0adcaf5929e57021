// What modules of the web app that tests import touch of a browser, and no more: the server and its tests are checked
// without the DOM's types.
declare const localStorage: {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
};
declare const location: { reload(): void };
declare var navigator: { readonly languages: readonly string[] } | undefined;
