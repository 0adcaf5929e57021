/** Keeps this computer's screen on while somebody watches a desktop, where the browser can. Ends by the returned function. */
export function keepAwake(): () => void {
  let lock: WakeLockSentinel | null = null;
  let isOver = false;
  const ask = (): void => {
    // The browser gives it back whenever the page is hidden.
    if (document.visibilityState !== "visible" || !("wakeLock" in navigator)) return;
    navigator.wakeLock.request("screen").then(
      (given) => {
        if (isOver) void given.release();
        else lock = given;
      },
      // Refused, as with an empty battery: the screen then goes off as it does elsewhere.
      () => undefined,
    );
  };
  document.addEventListener("visibilitychange", ask);
  ask();
  return () => {
    isOver = true;
    document.removeEventListener("visibilitychange", ask);
    void lock?.release();
  };
}
