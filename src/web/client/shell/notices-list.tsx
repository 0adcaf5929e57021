import "../styles/notices.css";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { sentence } from "./labels.ts";
import { copyText, dismissNotice, type Notice, notices } from "./notices.ts";

/** The messages in the corner. */
export function Notices() {
  return (
    <section class="notices" aria-label="Messages" aria-live="polite">
      {notices.value.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </section>
  );
}

function NoticeCard({ notice }: { readonly notice: Notice }) {
  const { details } = notice;
  return (
    <div class={`notice notice-${notice.kind}`}>
      <Icon shape={notice.kind === "error" ? "warning" : "check"} />
      <div class="notice-words">
        <p>{notice.text}</p>
        {notice.hint !== null && <p class="muted">{sentence(notice.hint)}</p>}
        {details !== null && (
          <button type="button" class="link-button" onClick={() => copyText(details, "Details copied")}>
            Copy details
          </button>
        )}
      </div>
      <IconButton icon="cross" label="Dismiss" onClick={() => dismissNotice(notice.id)} />
    </div>
  );
}
