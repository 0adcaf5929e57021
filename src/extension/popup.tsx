import { useSignal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { askWorker } from "./ask-worker.ts";
import type { BridgeState, Request, Status, TabInfo } from "./state.ts";

/** How often the popup looks while it is open; the worker tells nobody by itself. */
const LOOK_MS = 1000;

interface StatusWords {
  readonly title: string;
  readonly text: string;
  readonly tone: "good" | "idle" | "warn" | "bad";
}

function wordsOf(status: Status, shared: number): StatusWords {
  switch (status.kind) {
    case "connected":
      return shared === 0
        ? { title: "Connected", text: "Nothing is shared: agents see no tab.", tone: "idle" }
        : {
            title: "Connected",
            text: `Agents can use ${shared === 1 ? "one tab" : `${shared} tabs`}.`,
            tone: "good",
          };
    case "connecting":
      return {
        title: "Not connected",
        text: "The server does not answer. It is tried again by itself.",
        tone: "warn",
      };
    case "stopped":
      return { title: "Stopped", text: "No agent reaches this browser until you resume.", tone: "bad" };
    case "denied":
      return { title: "Refused by the server", text: `It said: ${status.reason}.`, tone: "bad" };
    case "impostor":
      return {
        title: "Not your server",
        text: "What answers there did not prove that it is the server you paired with. Nothing was sent to it.",
        tone: "bad",
      };
    case "unpaired":
      return {
        title: "Not paired",
        text: "Paste a pairing link from your server's Setup page.",
        tone: "idle",
      };
  }
}

function Popup() {
  const state = useSignal<BridgeState | null>(null);
  const fault = useSignal<string | null>(null);
  const ask = async (request: Request): Promise<boolean> => {
    try {
      state.value = await askWorker(request);
      if (request.do !== "state") fault.value = null;
      return true;
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error);
      return false;
    }
  };
  useEffect(() => {
    void ask({ do: "state" });
    const timer = setInterval(() => void ask({ do: "state" }), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const now = state.value;
  if (now === null) return fault.value === null ? null : <Fault text={fault.value} />;
  const { status, server } = now;
  const isPaired = status.kind !== "unpaired" && server !== null;
  const words = wordsOf(status, now.tabs.filter(({ isShared }) => isShared).length);
  const isStopped = status.kind === "stopped";
  return (
    <main>
      <header class={`status tone-${words.tone}`}>
        <span class="dot" aria-hidden="true" />
        <div role="status">
          <h1>{words.title}</h1>
          {isPaired && <p class="server">{server}</p>}
          <p class="muted">{words.text}</p>
        </div>
      </header>
      {fault.value !== null && <Fault text={fault.value} />}
      {!isPaired && <PairForm onPair={(link) => ask({ do: "pair", link })} />}
      {isPaired && !isStopped && <Sharing now={now} onAsk={(request) => void ask(request)} />}
      {isPaired && (
        <footer>
          {isStopped ? (
            <button type="button" class="primary" onClick={() => void ask({ do: "resume" })}>
              Resume
            </button>
          ) : (
            <button type="button" class="stop" onClick={() => void ask({ do: "stop" })}>
              Stop
            </button>
          )}
          <Forget onForget={() => void ask({ do: "forget" })} />
        </footer>
      )}
    </main>
  );
}

function Fault({ text }: { readonly text: string }) {
  return (
    <p class="fault" role="alert">
      {text}
    </p>
  );
}

function PairForm({ onPair }: { readonly onPair: (link: string) => Promise<boolean> }) {
  const link = useSignal("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void onPair(link.value);
      }}
    >
      <label for="link">Pairing link</label>
      <input
        id="link"
        type="text"
        placeholder="vf://…"
        autocomplete="off"
        spellcheck={false}
        value={link.value}
        onInput={(event) => {
          link.value = event.currentTarget.value;
        }}
      />
      <button type="submit" class="primary" disabled={link.value.trim() === ""}>
        Pair
      </button>
    </form>
  );
}

interface SharingProps {
  readonly now: BridgeState;
  readonly onAsk: (request: Request) => void;
}

function Sharing({ now, onAsk }: SharingProps) {
  // The one in front first: it is most likely meant.
  const tabs = [...now.tabs].sort((a, b) => Number(b.isActive) - Number(a.isActive));
  return (
    <>
      <section aria-labelledby="tabs">
        <h2 id="tabs">Tabs that agents may use</h2>
        {tabs.length === 0 && <p class="muted">No open tab can be shared.</p>}
        <ul class="tabs">
          {tabs.map((tab) => (
            <li key={tab.id}>
              <TabRow tab={tab} onChange={(isShared) => onAsk({ do: "share", tabId: tab.id, isShared })} />
            </li>
          ))}
        </ul>
      </section>
      <label class="row opens">
        <input
          type="checkbox"
          checked={now.mayOpenTabs}
          onChange={(event) => onAsk({ do: "open_tabs", isAllowed: event.currentTarget.checked })}
        />
        <span>
          <strong>New tabs that agents open</strong>
          <span class="muted">They may open any website, with your sign-ins.</span>
        </span>
      </label>
    </>
  );
}

function TabRow({
  tab,
  onChange,
}: {
  readonly tab: TabInfo;
  readonly onChange: (isShared: boolean) => void;
}) {
  const host = URL.canParse(tab.url) ? new URL(tab.url).host : "";
  return (
    <label class="row">
      <input
        type="checkbox"
        checked={tab.isShared}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        <strong>{tab.title}</strong>
        <span class="muted">{tab.isActive ? `this tab · ${host}` : host}</span>
      </span>
    </label>
  );
}

/** Forgetting takes a new link to undo, so it is asked about once. */
function Forget({ onForget }: { readonly onForget: () => void }) {
  const isAsking = useSignal(false);
  return isAsking.value ? (
    <button type="button" class="danger" onClick={onForget}>
      Really forget it
    </button>
  ) : (
    <button
      type="button"
      class="quiet"
      onClick={() => {
        isAsking.value = true;
      }}
    >
      Forget this server
    </button>
  );
}

const root = document.getElementById("popup");
if (root !== null) render(<Popup />, root);
