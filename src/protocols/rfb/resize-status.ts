/** The outcome of SetDesktopSize, rfbproto ExtendedDesktopSize. */
export const RESIZE_STATUS = {
  done: 0,
  prohibited: 1,
  outOfResources: 2,
  invalidLayout: 3,
  forwarded: 4,
} as const;

export type ResizeStatus = (typeof RESIZE_STATUS)[keyof typeof RESIZE_STATUS];
