import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { FleetInfo } from "../../api/fleet-api.ts";
import { t } from "../language/language.ts";
import { request, serverNowMs } from "../shell/api-client.ts";
import { FailureCard } from "../shell/failure-card.tsx";
import { attempt, type ErrorWords, errorWords } from "../shell/notices.ts";
import { viewerPath } from "../shell/route.ts";
import { AdminFrame } from "./admin-frame.tsx";
import { agoWords } from "./admin-words.ts";
import { Fact } from "./token-row.tsx";

const LOOK_EVERY_MS = 3000;
const WHY = { gone: t`it was gone`, drained: t`it was drained`, let_go: t`it let go` };

/** The nodes of a fleet: what each has, and handing that over; what moved, and why. */
export function FleetPage() {
  return <AdminFrame title={t`Fleet`}>{() => <Nodes />}</AdminFrame>;
}

function Nodes() {
  const info = useSignal<FleetInfo | null>(null);
  const failure = useSignal<ErrorWords | null>(null);
  const { search } = location;
  const load = (): Promise<void> =>
    request("GET", `/api/v1/fleet${search}`)
      .then(async (response) => {
        info.value = await response.json();
        failure.value = null;
      })
      .catch((error: unknown) => {
        failure.value = errorWords(error);
      });
  useEffect(() => {
    void load();
    const timer = setInterval(load, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [search]);
  const { node: self, nodes = [], desktops = [], moves = [] } = info.value ?? {};
  const nobodys = desktops.filter(({ node }) => !node);
  return (
    <>
      <h1>{t`Fleet`}</h1>
      <p class="muted">{t`A node that is drained hands over its desktops one by one, and takes none until it is told to.`}</p>
      {failure.value && (
        <FailureCard title={t`The nodes cannot be listed`} words={failure.value} onRetry={load} />
      )}
      {nobodys.length > 0 && (
        <p class="tone-warn" role="status">
          {t`No node has: ${nobodys.map(({ id, name }) => name ?? id).join(", ")}`}
        </p>
      )}
      <ul class="things" aria-label={t`Nodes`} aria-busy={!info.value}>
        {nodes.map(({ name, address, zones, desktops: count, capacity, is_draining }) => (
          <li class="thing" key={name}>
            <div class="thing-head">
              <h2>
                <a href={`?node=${name}`}>{name}</a>
              </h2>
              {name === self && <span class="pill pill-accent">{t`You are here`}</span>}
              {is_draining && <span class="pill pill-warn">{count > 0 ? t`Hands over` : t`Drained`}</span>}
            </div>
            <dl class="thing-facts">
              <Fact name={t`Desktops`} value={t`${count} of ${capacity}`} />
              <Fact name={t`Address`} value={address} />
              <Fact name={t`Networks`} value={zones.join(", ")} />
            </dl>
            <p class="fleet-desktops">
              {desktops
                .filter(({ node }) => node === name)
                .map(({ id, name }) => (
                  <a key={id} href={viewerPath(id)}>
                    {name ?? id}
                  </a>
                ))}
            </p>
            <div class="thing-tools">
              <button
                type="button"
                class="button"
                aria-label={is_draining ? t`Let ${name} take desktops` : t`Drain ${name}`}
                onClick={() => {
                  // Names of nodes have nothing that is to be escaped.
                  const path = `/api/v1/fleet/nodes/${name}/drain`;
                  const told = request("POST", path, { is_draining: !is_draining });
                  attempt(t`Could not tell ${name}`, told.then(load));
                }}
              >
                {is_draining ? t`Take desktops` : t`Drain`}
              </button>
            </div>
          </li>
        ))}
      </ul>
      {moves.length > 0 && (
        <>
          <h2>{t`Moved`}</h2>
          <ul class="fleet-moves">
            {moves.map(({ desktop_id, name, from, to, why, at }) => (
              <li key={desktop_id + at}>
                {t`${name ?? desktop_id}: from ${from} to ${to}, because ${WHY[why]}; ${agoWords(at, serverNowMs())}`}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
