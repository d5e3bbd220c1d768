/*
 * Colours and completion for a text area with SQL. The coloured text lies below the text area, letter on letter; the list of
 * names opens while one writes a name, or with Ctrl+Space. Tab takes a name, so Enter still begins a new line.
 */
const KEYWORDS = new Set(
  `ALL AND AS ASC BETWEEN BY CASE CAST CROSS DESC DISTINCT ELSE END EXCEPT EXCLUDE EXISTS FALSE FILTER FIRST FROM FULL GROUP
  HAVING IN INNER INTERSECT IS JOIN LAST LEFT LIKE LIMIT NOT NULL NULLS OFFSET ON OR ORDER OUTER OVER PARTITION QUALIFY
  REPLACE RIGHT ROWS SELECT THEN TRUE UNION USING VALUES WHEN WHERE WINDOW WITH`.split(/\s+/),
);
const FUNCTIONS = {
  abs: "the number without its sign",
  avg: "the mean",
  coalesce: "the first value that is not missing",
  corr: "the correlation of two columns",
  count: "the number of rows",
  max: "the largest value",
  median: "the middle value",
  min: "the smallest value",
  quantile_cont: "a quantile: quantile_cont(score, 0.9)",
  round: "the rounded number: round(mean, 1)",
  sqrt: "the square root",
  stddev_samp: "the standard deviation",
  string_agg: "all texts, joined",
  sum: "the sum",
};
const TOKENS =
  /(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>'(?:[^']|'')*(?:'|$))|(?<parameter>\$\w+)|(?<number>\b\d+(?:\.\d+)?\b)|(?<word>[A-Za-z_]\w*)/g;
const USUAL_TABLES = ["seats", "games", "log", "run"]; // whose columns are offered first while the query names no table
const MOST_COLOURED = 20_000; // letters; longer queries stay plain
const MOST_OFFERED = 7;
const WAIT_MILLISECONDS = 100;
const editors = new WeakMap();

export default function helpInEditor({ data, parentElement }) {
  editors.get(parentElement)?.stop();
  if (!data) return undefined;
  const editor = new Editor(data);
  editors.set(parentElement, editor);
  return () => editor.stop();
}

class Editor {
  constructor({ field, tables }) {
    this.selector = `.st-key-${CSS.escape(field)} textarea`;
    this.tables = tables;
    this.columns = new Set(Object.values(tables).flatMap((table) => Object.keys(table.columns)));
    this.area = null;
    this.timer = setInterval(() => this.follow(), WAIT_MILLISECONDS);
    this.follow();
  }

  stop() {
    clearInterval(this.timer);
    this.release();
  }

  /** Take hold of the text area, which Streamlit may draw anew, and colour a text that did not come from the keyboard. */
  follow() {
    const area = document.querySelector(this.selector);
    if (area !== this.area || (area && !this.layer.isConnected)) {
      this.release();
      if (area) this.hold(area);
    } else if (area && (area.value !== this.coloured || area.clientWidth !== this.width || area.clientHeight !== this.height)) {
      this.colour();
    }
  }

  hold(area) {
    this.area = area;
    this.layer = document.createElement("pre");
    this.layer.className = "sql-colours";
    this.layer.setAttribute("aria-hidden", "true");
    area.parentElement.append(this.layer);
    area.spellcheck = false;
    area.setAttribute("autocapitalize", "off");
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    area.addEventListener("input", () => (this.colour(), this.offer()), { signal });
    area.addEventListener("scroll", () => (this.scroll(), this.close()), { signal });
    area.addEventListener("keydown", (event) => this.press(event), { signal, capture: true });
    area.addEventListener("blur", () => this.close(), { signal });
    area.addEventListener("pointerdown", () => this.close(), { signal });
    addEventListener("scroll", () => this.close(), { signal, capture: true, passive: true });
    this.colour();
  }

  release() {
    this.close();
    this.listeners?.abort();
    this.layer?.remove();
    this.area = null;
  }

  colour() {
    const { area, layer } = this;
    const style = getComputedStyle(area);
    for (const name of ["fontFamily", "fontSize", "lineHeight", "letterSpacing", "tabSize", "padding"]) layer.style[name] = style[name];
    [this.width, this.height, this.coloured] = [area.clientWidth, area.clientHeight, area.value];
    layer.style.boxSizing = "border-box";
    layer.style.width = `${this.width}px`;
    layer.style.height = `${this.height}px`;
    layer.replaceChildren(...(area.value.length > MOST_COLOURED ? [area.value] : this.pieces(area.value)), "\n");
    this.scroll();
  }

  /** Return the text as nodes, each kind of word with its class. */
  pieces(text) {
    const nodes = [];
    let done = 0;
    for (const match of text.matchAll(TOKENS)) {
      const [kind] = Object.entries(match.groups).find(([, value]) => value !== undefined);
      const end = match.index + match[0].length;
      const name = kind === "word" ? this.kindOfWord(match[0], text.slice(end)) : kind;
      if (name === "") continue;
      const piece = document.createElement("span");
      piece.className = name;
      piece.textContent = match[0];
      nodes.push(text.slice(done, match.index), piece);
      done = end;
    }
    return [...nodes, text.slice(done)];
  }

  kindOfWord(word, after) {
    if (KEYWORDS.has(word.toUpperCase())) return "keyword";
    if (/^\s*\(/.test(after)) return "function";
    const name = word.toLowerCase();
    if (Object.hasOwn(this.tables, name) && !/^\s*(,|=)/.test(after)) return "table";
    return this.columns.has(name) ? "column" : "";
  }

  scroll() {
    this.layer.scrollTop = this.area.scrollTop;
  }

  press(event) {
    if (event.isComposing) return;
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.offer(0);
      return;
    }
    if (!this.list) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.choose((this.chosen + step + this.offered.length) % this.offered.length);
    else if (event.key === "Tab" && !event.shiftKey) this.take(this.offered[this.chosen]);
    else if (event.key === "Escape") this.close();
    else {
      if (event.key === "Enter" || event.key.startsWith("Arrow")) this.close();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Offer names that begin with the word before the caret, if it has at least `least` letters. */
  offer(least = 2) {
    this.close();
    const { area } = this;
    if (area.selectionStart !== area.selectionEnd) return;
    const before = area.value.slice(0, area.selectionStart);
    if (/^\w/.test(area.value.slice(area.selectionStart)) || isInTextOrComment(before)) return;
    const [, owner, word] = /(?:(\w+)\.)?(\w*)$/.exec(before);
    if (!owner && (word.length < least || /^\d/.test(word) || /\$\w*$/.test(before) || /\bAS\s+\w*$/i.test(before))) return;
    const start = word.toLowerCase();
    const names = this.names(owner, before.slice(0, before.length - word.length), area.value);
    const offered = names.filter(({ name }) => name.toLowerCase().startsWith(start));
    if (!offered.length || offered.some(({ name }) => name.toLowerCase() === start)) return;
    this.word = word;
    this.offered = offered.slice(0, MOST_OFFERED);
    this.open(area.selectionStart - word.length);
  }

  /** Return all names that may stand here, the likely ones first. */
  names(owner, before, text) {
    const named = tablesOf(text, this.tables);
    const columnsOf = (table) =>
      Object.entries(this.tables[table].columns).map(([name, [type, about]]) => ({ name, kind: `${table} · ${type}`, about }));
    if (owner) {
      const table = named.get(owner.toLowerCase()) ?? owner.toLowerCase();
      return Object.hasOwn(this.tables, table) ? columnsOf(table) : [];
    }
    const tables = Object.entries(this.tables).map(([name, { about }]) => ({ name, kind: "table", about }));
    if (/\b(FROM|JOIN)\s+$/i.test(before)) return tables;
    const first = [...new Set(named.values())];
    const likely = first.length ? first : [...USUAL_TABLES, ...Object.keys(this.tables)];
    const functions = Object.entries(FUNCTIONS).map(([name, about]) => ({ name, kind: "function", about, after: "(" }));
    const keywords = [...KEYWORDS].map((name) => ({ name, kind: "keyword", about: "" }));
    const all = [...likely.flatMap(columnsOf), ...functions, ...keywords, ...tables];
    const seen = new Set();
    return all.filter(({ name }) => !seen.has(name) && seen.add(name));
  }

  open(at) {
    const { area } = this;
    const list = document.createElement("div");
    list.className = "sql-completion";
    const box = document.createElement("div");
    box.id = "sql-completion";
    box.setAttribute("role", "listbox");
    box.setAttribute("aria-label", "Names");
    box.append(...this.offered.map((offer, number) => this.option(offer, number)));
    list.append(box, element("div", "keys", "Tab takes the name, \u2191 \u2193 choose, Esc closes"));
    const page = area.closest(".stApp") ?? document.body; // inside, the list has the theme of the page
    page.append(list);
    this.list = list;
    const place = this.rectangleAt(at);
    const low = place.bottom + 4 + list.offsetHeight > innerHeight && place.top > list.offsetHeight;
    list.style.left = `${Math.max(8, Math.min(place.left - 9, innerWidth - list.offsetWidth - 8))}px`;
    list.style.top = `${low ? place.top - list.offsetHeight - 4 : place.bottom + 4}px`;
    this.status = element("div", "sql-completion-status", `${this.offered.length} names; Tab takes the first: ${this.offered[0].name}`);
    this.status.setAttribute("role", "status");
    page.append(this.status);
    area.setAttribute("aria-autocomplete", "list");
    area.setAttribute("aria-controls", "sql-completion");
    this.choose(0);
  }

  option({ name, kind, about }, number) {
    const option = element("div", "");
    option.id = `sql-completion-${number}`;
    option.setAttribute("role", "option");
    const first = element("div", "first");
    first.append(element("span", "name", name), element("span", "kind", kind));
    option.append(first);
    if (about) option.append(element("div", "about", about));
    option.addEventListener("pointerdown", (event) => (event.preventDefault(), this.take(this.offered[number])));
    return option;
  }

  choose(number) {
    this.chosen = number;
    for (const [index, option] of [...this.list.querySelectorAll("[role=option]")].entries())
      option.setAttribute("aria-selected", String(index === number));
    this.area.setAttribute("aria-activedescendant", `sql-completion-${number}`);
  }

  take({ name, after = "" }) {
    const { area, word } = this;
    this.close();
    area.focus();
    area.setSelectionRange(area.selectionStart - word.length, area.selectionStart);
    // This command alone keeps the steps of Undo; browsers that lack it return false.
    if (!document.execCommand("insertText", false, name + after)) {
      area.setRangeText(name + after, area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }
    this.close();
  }

  close() {
    if (!this.list) return;
    this.list.remove();
    this.status.remove();
    this.list = null;
    this.area?.removeAttribute("aria-activedescendant");
    this.area?.removeAttribute("aria-controls");
  }

  /** Return where the letter at `offset` of the text stands in the window. */
  rectangleAt(offset) {
    const walker = document.createTreeWalker(this.layer, NodeFilter.SHOW_TEXT);
    let left = offset;
    while (walker.nextNode() && left > walker.currentNode.length) left -= walker.currentNode.length;
    const range = document.createRange();
    range.setStart(walker.currentNode, Math.min(left, walker.currentNode.length));
    const [first] = range.getClientRects();
    return first ?? this.area.getBoundingClientRect();
  }
}

function element(tag, name, text = "") {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.textContent = text;
  return made;
}

/** Return the tables after FROM and JOIN, by their names and aliases. */
function tablesOf(text, tables) {
  const found = new Map();
  for (const [, name, alias] of text.matchAll(/\b(?:FROM|JOIN)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?/gi)) {
    const table = name.toLowerCase();
    if (!Object.hasOwn(tables, table)) continue;
    found.set(table, table);
    if (alias && !KEYWORDS.has(alias.toUpperCase())) found.set(alias.toLowerCase(), table);
  }
  return found;
}

function isInTextOrComment(before) {
  const open = before.replaceAll(/--[^\n]*\n|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/g, "");
  return /'|--|\/\*/.test(open);
}
