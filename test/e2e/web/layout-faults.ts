/** In the page: what is cut, torn or out of the window, a line each. For sizes that hold all of a page's parts. */
export const LAYOUT_FAULTS = `(() => {
  const faults = [];
  const seen = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const root = parseFloat(getComputedStyle(document.documentElement).fontSize);

  for (const one of seen("dialog[open], :popover-open")) {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    if (Math.min(left, top, innerWidth - right, innerHeight - bottom) < 0) faults.push("out of the window: " + one.className);
  }

  const roomIn = (block) => {
    const { paddingLeft, paddingRight } = getComputedStyle(block);
    return block.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  };

  // As wide as the list is for what is chosen alone, unless all the room is taken.
  for (const one of seen("select")) {
    if (one.offsetWidth >= Math.floor(roomIn(one.parentElement))) continue;
    const alone = one.cloneNode();
    alone.append(new Option(one.selectedOptions[0]?.text));
    alone.style.cssText = "position: absolute; visibility: hidden; flex: none; width: auto; min-width: 0; max-width: none";
    one.after(alone);
    const needed = alone.offsetWidth;
    alone.remove();
    if (one.offsetWidth < needed) faults.push("cut: " + one.selectedOptions[0]?.text + ", by " + (needed - one.offsetWidth) + " px");
  }

  // A word of code that a line has room for stands in one.
  for (const code of seen("code")) {
    let block = code.parentElement;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    const room = roomIn(block);
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const word of texts.currentNode.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        const lines = [...range.getClientRects()].filter(({ width }) => width > 0);
        const width = lines.reduce((sum, line) => sum + line.width, 0);
        if (new Set(lines.map(({ top }) => Math.round(top))).size > 1 && width < room) faults.push("torn: " + word[0]);
      }
    }
  }

  // Side by side, names and what is written below them stand in one line each.
  for (const pair of seen(".field-pair")) {
    const fields = [...pair.querySelectorAll(".field")].map((field) =>
      [...field.children].map((part) => part.getBoundingClientRect()));
    const [first, second] = fields;
    if (second === undefined || first[0].right > second[0].left) continue;
    if (first.some((box, i) => Math.abs(box.top - second[i].top) > 1)) faults.push("out of line: " + pair.textContent);
  }

  for (const one of seen(".badge, .pill")) {
    if (one.scrollHeight > one.clientHeight || one.clientHeight < root) faults.push("cut: " + one.className);
  }

  // What is named is read, as far as four letters go.
  for (const one of seen(".viewer-name")) {
    if (one.clientWidth < Math.min(one.scrollWidth, 4 * root)) faults.push("no room: " + one.textContent + ", " + one.clientWidth + " px");
  }
  return faults;
})()`;

/** In the page: tabs that stand in more than one line, which only large text is allowed. */
export const TAB_LINES = `[...document.querySelectorAll("[role=tablist]")]
  .filter((list) => new Set([...list.children].map((tab) => tab.offsetTop)).size > 1)
  .map((list) => "two lines: " + list.textContent)`;
