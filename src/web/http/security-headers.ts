/** What the web app may load: itself, pictures it makes, and nothing else; no page may frame it. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

/** Sent with every answer. Pictures of a desktop are never kept by a cache; `/assets` alone says otherwise. */
export const SECURITY_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-read=(self), clipboard-write=(self), fullscreen=(self), window-management=(self), picture-in-picture=(self)",
  "cache-control": "no-store",
} as const;

/** Only where we speak TLS ourselves or a trusted proxy says that it does. */
export const TRANSPORT_SECURITY = "max-age=31536000";
