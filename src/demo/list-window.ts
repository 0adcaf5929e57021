import { Label } from "./label.ts";
import { ListBox, type ListRow, ROW_HEIGHT } from "./list-box.ts";
import { COLOUR, FONT, METRIC } from "./theme.ts";
import { Window } from "./window.ts";

const SHOWN_ROWS = 5;
const FOOT = 36;
const LIST = { width: 468, height: SHOWN_ROWS * ROW_HEIGHT + 8 } as const;

const FOLDERS = ["Reports", "Invoices", "Photos", "Drafts", "Archive"] as const;
const MONTHS = ["January", "March", "April", "June", "August", "September", "October", "December"] as const;

/** Forty files that are the same at every start. */
const FILES: readonly ListRow[] = FOLDERS.flatMap((folder, i) =>
  MONTHS.map((month, j) => ({
    title: `${folder} ${month}`,
    detail: `${((i * 37 + j * 53) % 90) + 10} KB`,
  })),
);

/** "Files": a list that scrolls, and below it what is selected. */
export class ListWindow extends Window {
  readonly list: ListBox;

  constructor() {
    const width = LIST.width + 2 * METRIC.padding;
    const height = METRIC.titleHeight + METRIC.padding + LIST.height + FOOT;
    super("files", "Files", { x: 140, y: 448, width, height });
    const foot = { x: METRIC.padding, y: height - FOOT, width: LIST.width, height: FOOT };
    const selected = new Label(foot, "Nothing selected", FONT.small, COLOUR.quiet);
    const rect = { x: METRIC.padding, y: METRIC.titleHeight + METRIC.padding, ...LIST };
    this.list = this.add(
      new ListBox("list", rect, FILES, ({ title }) => selected.setText(`Selected: ${title}`)),
    );
    this.add(selected);
  }
}
