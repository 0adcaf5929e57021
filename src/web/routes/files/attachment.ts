/** RFC 6266: the name in ASCII, and as it is. */
export function attachment(name: string): string {
  const plain = name.replace(/[^\w .-]/g, "_");
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}
