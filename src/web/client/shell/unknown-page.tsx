import { Shell } from "./shell.tsx";

/** An address that names nothing. */
export function UnknownPage({ path }: { readonly path: string }) {
  return (
    <Shell>
      <div class="page">
        <h1>Nothing here</h1>
        <p>
          <code>{path}</code> is not a page. <a href="/">Go to the desktops</a>
        </p>
      </div>
    </Shell>
  );
}
