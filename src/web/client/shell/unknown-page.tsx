import { rich, t } from "../language/language.ts";
import { Shell } from "./shell.tsx";

/** An address that names nothing. */
export function UnknownPage({ path }: { readonly path: string }) {
  return (
    <Shell>
      <div class="page">
        <h1>{t`Nothing here`}</h1>
        <p>
          {rich`${<code>{path}</code>} is not a page. `}
          <a href="/">{t`Go to the desktops`}</a>
        </p>
      </div>
    </Shell>
  );
}
