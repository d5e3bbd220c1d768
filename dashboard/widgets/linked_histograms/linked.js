/*
 * Linked histograms: a range chosen in one chart filters all others at once, without the server. The data are cells: how many
 * results have the same bins of all measures. `mount` is called again when the data or the theme changes.
 */

const SVG = "http://www.w3.org/2000/svg";
const CHART_HEIGHT = 108;
const INSIDE = "-inside"; // the column that says which cells are in the range of a measure
const views = new WeakMap();

export default function mount({ parentElement, data, setTriggerValue }) {
  const text = JSON.stringify({ ...data, selected: null });
  const selected = JSON.stringify(data.selected ?? {});
  const current = views.get(parentElement);
  if (current?.text !== text) {
    current?.forget();
    const view = createView(data, (selection) => setTriggerValue("compare", selection));
    parentElement.append(view.root);
    views.set(parentElement, { text, selected, ...view });
  } else if (current.selected !== selected) {
    current.selected = selected;
    current.select(data.selected); // the address has changed
  }
  return () => {
    views.get(parentElement)?.forget();
    views.delete(parentElement);
  };
}

/** Create an element with attributes and children; null children are left out. */
function make(tag, attributes = {}, ...children) {
  const node = tag in { svg: 1, path: 1, rect: 1, line: 1, text: 1 } ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children.filter((child) => child !== null));
  return node;
}

function readNumbers(base64, Type) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new Type(bytes.buffer);
}

/** The cells of the data, and for each measure and line the counts of the results that pass the filters. */
function createCounter(data) {
  const counts = readNumbers(data.counts, Uint32Array);
  const columns = Object.fromEntries(Object.entries(data.columns).map(([key, column]) => [key, readNumbers(column, Uint8Array)]));
  const lines = columns[data.line];
  const total = counts.reduce((sum, count) => sum + count, 0);
  return { total, count };

  /** Count the results by measure, line and bin. A chart is not filtered by its own range: it shows what lies outside. */
  function count(filters) {
    const keys = Object.keys(filters);
    const allowed = keys.map((key) => filters[key].allowed);
    const filtered = keys.map((key) => columns[filters[key].column]);
    const charts = data.measures.map(({ key, bins }) => ({
      key,
      column: columns[key],
      filter: keys.indexOf(key),
      bins: data.lines.map(() => new Float64Array(bins)),
    }));
    const groups = data.groups.map(({ key, names }) => ({ key, column: columns[key], filter: keys.indexOf(key), bins: new Float64Array(names.length) }));
    const sums = new Float64Array(data.lines.length);
    let selected = 0;
    for (let cell = 0; cell < counts.length; cell += 1) {
      let failed = -1;
      let fails = 0;
      for (let at = 0; at < allowed.length; at += 1) {
        if (!allowed[at][filtered[at][cell]]) {
          fails += 1;
          failed = at;
          if (fails > 1) break;
        }
      }
      if (fails > 1) continue;
      const n = counts[cell];
      const line = lines[cell];
      for (const chart of charts) if (!fails || chart.filter === failed) chart.bins[line][chart.column[cell]] += n;
      for (const group of groups) if (!fails || group.filter === failed) group.bins[group.column[cell]] += n;
      if (!fails) {
        selected += n;
        sums[line] += n;
      }
    }
    return { charts, groups, selected, sums };
  }
}

function createView(data, onCompare) {
  const counter = createCounter(data);
  const everything = counter.count({});
  const ranges = new Map(); // measure -> [lowest bin, highest bin], and the ends in `exact` if they are inside of bins
  const chosen = new Map(); // group -> set of members
  readSelection(data, data.selected, ranges, chosen);
  const charts = data.measures.map((measure, at) =>
    hasOneValue(measure) ? null : createChart(measure, data.lines, everything.charts[at].bins, setRange));
  const groups = data.groups.map((group) => createGroup(group, group.key === data.line ? data.lines : [], toggleMember));
  const status = make("p", { class: "status", role: "status", "aria-live": "polite" });
  const compare = make("button", { type: "button", class: "main" }, "Compare", make("span", { class: "wide" }, " with all others"));
  const clear = make("button", { type: "button" }, "Clear");
  const root = make("div", { class: "linked" }, make("div", { class: "head" }, status, compare, clear), createKey(data),
    groups.length ? make("div", { class: "groups" }, ...groups.map(({ node }) => node)) : null,
    make("div", { class: "charts" }, ...charts.filter(Boolean).map(({ node }) => node)), listSingleValues(data.measures));
  compare.addEventListener("click", () => onCompare(writeSelection()));
  clear.addEventListener("click", () => {
    ranges.clear();
    chosen.clear();
    update();
  });
  let frame = 0;
  const observer = new ResizeObserver(() => request());
  observer.observe(root);
  update();
  return {
    root,
    select(selected) {
      ranges.clear();
      chosen.clear();
      readSelection(data, selected, ranges, chosen);
      update();
    },
    forget() {
      observer.disconnect();
      cancelAnimationFrame(frame);
      root.remove();
    },
  };

  function setRange(measure, range) {
    if (range) ranges.set(measure.key, range);
    else ranges.delete(measure.key);
    request();
  }

  function toggleMember(group, member) {
    const members = chosen.get(group.key) ?? new Set();
    if (!members.delete(member)) members.add(member);
    if (members.size && members.size < group.names.length) chosen.set(group.key, members);
    else chosen.delete(group.key);
    request();
  }

  function request() {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(update);
  }

  function update() {
    const started = performance.now();
    const filters = {};
    for (const { key: name, bins } of data.measures) {
      const range = ranges.get(name);
      if (range?.exact) filters[name] = { column: name + INSIDE, allowed: [false, true] };
      else if (range) filters[name] = { column: name, allowed: Array.from({ length: bins }, (_, bin) => bin >= range[0] && bin <= range[1]) };
    }
    for (const { key: name, names } of data.groups) {
      const members = chosen.get(name);
      if (members) filters[name] = { column: name, allowed: names.map((_, member) => members.has(member)) };
    }
    const counted = counter.count(filters);
    const isFiltered = Object.keys(filters).length > 0;
    charts.forEach((chart, at) => chart?.draw(counted.charts[at].bins, ranges.get(data.measures[at].key) ?? null, isFiltered));
    groups.forEach((group, at) => group.draw(counted.groups[at].bins, chosen.get(data.groups[at].key) ?? null));
    const share = counter.total ? (100 * counted.selected) / counter.total : 0;
    status.textContent = isFiltered
      ? `${counted.selected.toLocaleString("en")} of ${counter.total.toLocaleString("en")} results are selected (${share.toFixed(share < 10 ? 1 : 0)} %).`
      : `${counter.total.toLocaleString("en")} results are drawn. Drag across a chart to select some.`;
    compare.disabled = !isFiltered || counted.selected === 0 || counted.selected === counter.total;
    clear.disabled = !isFiltered;
    root.dataset.milliseconds = (performance.now() - started).toFixed(1);
  }

  function writeSelection() {
    const selection = {};
    for (const { key: name, edges } of data.measures) {
      const range = ranges.get(name);
      if (range) selection[name] = range.exact ?? [edges[range[0]], edges[range[1] + 1] - 1];
    }
    for (const [name, members] of chosen) selection[name] = [...members].sort((a, b) => a - b);
    return JSON.stringify(selection);
  }
}

/** Take the selection of the address. A range that does not end at edges of bins has its own column: it is kept as it is. */
function readSelection(data, selected, ranges, chosen) {
  const selection = selected ?? {};
  for (const { key, edges, bins } of data.measures) {
    if (!selection[key]) continue;
    const range = selection[key].map((end) => Math.min(bins - 1, Math.max(0, edges.findLastIndex((edge) => edge <= end))));
    ranges.set(key, Object.assign(range, { exact: data.columns[key + INSIDE] ? selection[key] : null }));
  }
  for (const { key, names } of data.groups) {
    const members = (selection[key] ?? []).filter((member) => member >= 0 && member < names.length);
    if (members.length) chosen.set(key, new Set(members));
  }
}

/** The names of the lines that have no button with their colour; null for a single line. */
function createKey({ groups, line, lines }) {
  if (lines.length < 2 || groups.some(({ key }) => key === line)) return null;
  return make("ul", { class: "key" }, ...lines.map(({ name, colour, dash }) => make("li", {}, drawSwatch(colour, dash), name)));
}

function hasOneValue({ edges, bins }) {
  return bins === 1 && edges[1] - edges[0] === 1;
}

/** A sentence on the measures that need no chart, because all results have the same value, or null. */
function listSingleValues(measures) {
  const single = measures.filter(hasOneValue).map(({ title, edges }) => `${title} ${formatNumber(edges[0])}`);
  return single.length ? make("p", { class: "single" }, `The same in all results that are drawn: ${single.join(", ")}.`) : null;
}

function drawSwatch(colour, dash) {
  const line = make("line", { x1: 0, x2: 22, y1: 5, y2: 5, stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dashPattern(dash) });
  return make("svg", { width: 22, height: 10, "aria-hidden": "true" }, line);
}

function dashPattern(dash) {
  return { dash: "7 4", dot: "2 3", dashdot: "7 3 2 3", longdash: "11 4", longdashdot: "11 3 2 3" }[dash] ?? "none";
}

/** A histogram of one measure with two sliders, which also show the ends of the range. */
function createChart(measure, lines, everything, setRange) {
  const { edges, bins, title } = measure;
  const totals = everything.map((counts) => counts.reduce((sum, count) => sum + count, 0));
  const brush = make("rect", { class: "brush", y: 0, height: CHART_HEIGHT });
  const ghosts = lines.map(({ colour }) => make("path", { class: "ghost", stroke: colour }));
  const outlines = lines.map(({ colour, dash }) =>
    make("path", { class: "outline", stroke: colour, fill: colour, "stroke-dasharray": dashPattern(dash) }));
  const axis = make("line", { class: "axis", x1: 0, y1: CHART_HEIGHT - 0.5, y2: CHART_HEIGHT - 0.5 });
  const scale = [1, 0.5].map((part) => ({
    part,
    line: make("line", { class: "scale", x1: 0, y1: heightOf(part), y2: heightOf(part) }),
    text: make("text", { class: "scale", x: 0, y: heightOf(part) - 3 }),
  }));
  const picture = make("svg", { height: CHART_HEIGHT, "aria-hidden": "true" }, ...scale.flatMap(({ line, text }) => [line, text]), brush, ...ghosts, ...outlines, axis);
  const said = make("span", { class: "range" });
  const [from, to] = ["from", "to"].map((end) =>
    make("input", { type: "range", min: 0, max: bins - 1, step: 1, "aria-label": `${title}, ${end}`, class: end }));
  const reading = make("span", { class: "reading" });
  const ends = make("div", { class: "ends" }, make("span", {}, formatNumber(edges[0])), reading, make("span", {}, formatNumber(edges[bins] - 1)));
  const node = make("section", { class: "chart", "aria-label": title }, make("h2", {}, title, " ", said), picture,
    make("div", { class: "sliders" }, from, to), ends);
  const slide = (moved, other, isLess) => () => {
    if (isLess(Number(moved.value), Number(other.value))) other.value = moved.value;
    tell(Number(from.value), Number(to.value));
  };
  from.addEventListener("input", slide(from, to, (a, b) => a > b));
  to.addEventListener("input", slide(to, from, (a, b) => a < b));
  let start = null;
  let wasRange = null;
  picture.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    start = binAt(event);
    wasRange = current;
    picture.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  picture.addEventListener("pointermove", (event) => {
    pointed = event.pointerType === "mouse" ? binAt(event) : null;
    read();
    if (start === null) return;
    const bin = binAt(event);
    if (bin !== start || (current && current !== wasRange)) tell(Math.min(start, bin), Math.max(start, bin));
  });
  picture.addEventListener("pointerup", (event) => {
    if (start === null) return;
    const bin = binAt(event);
    const isClick = current === wasRange && bin === start;
    if (isClick) {
      const isOnRange = wasRange && bin >= wasRange[0] && bin <= wasRange[1];
      if (isOnRange) setRange(measure, null);
      else tell(bin, bin);
    }
    start = null;
  });
  picture.addEventListener("pointercancel", () => {
    start = null;
  });
  picture.addEventListener("pointerleave", () => {
    pointed = null;
    read();
  });
  let current = null;
  let pointed = null;
  let results = [];
  return { node, draw };

  /** Say how many results the bin under the mouse has. */
  function read() {
    reading.textContent = pointed === null ? "" : `${formatBins(pointed, pointed)}: ${formatNumber(results[pointed])}`;
  }

  function formatBins(low, high) {
    return formatEnds([edges[low], edges[high + 1] - 1]);
  }

  function formatEnds(ends) {
    return ends[0] === ends[1] ? formatNumber(ends[0]) : ends.map(formatNumber).join(" to ");
  }

  function tell(low, high) {
    setRange(measure, low === 0 && high === bins - 1 ? null : [low, high]);
  }

  function binAt(event) {
    const box = picture.getBoundingClientRect();
    return Math.min(bins - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * bins)));
  }

  function draw(counted, range, isFiltered) {
    current = range;
    const width = picture.clientWidth || 300;
    const sums = counted.map((counts) => counts.reduce((sum, count) => sum + count, 0));
    const shares = counted.map((counts, line) => counts.map((count) => (sums[line] ? count / sums[line] : 0)));
    const all = everything.map((counts, line) => counts.map((count) => (totals[line] ? count / totals[line] : 0)));
    const highest = Math.max(1e-9, ...[...shares, ...all].map((line) => Math.max(...line)));
    for (const { part, line, text } of scale) {
      line.setAttribute("x2", String(width));
      text.textContent = `${(100 * part * highest).toFixed(highest < 0.1 ? 1 : 0)} %`;
    }
    results = counted.reduce((sums, counts) => sums.map((sum, bin) => sum + counts[bin]), Array(bins).fill(0));
    read();
    picture.setAttribute("viewBox", `0 0 ${width} ${CHART_HEIGHT}`);
    axis.setAttribute("x2", String(width));
    ghosts.forEach((path, line) => path.setAttribute("d", isFiltered ? outlinePath(all[line], highest, width) : ""));
    outlines.forEach((path, line) => path.setAttribute("d", outlinePath(shares[line], highest, width)));
    const [low, high] = range ?? [0, bins - 1];
    from.value = String(low);
    to.value = String(high);
    const ends = range?.exact ?? [edges[low], edges[high + 1] - 1];
    said.textContent = range ? formatEnds(ends) : "";
    from.setAttribute("aria-valuetext", formatNumber(ends[0]));
    to.setAttribute("aria-valuetext", formatNumber(ends[1]));
    brush.setAttribute("x", String((low / bins) * width));
    brush.setAttribute("width", String(range ? ((high + 1 - low) / bins) * width : 0));
  }
}

/** The height of a part of the highest bin. The label of the scale stands above it. */
function heightOf(part) {
  return CHART_HEIGHT - 1 - part * (CHART_HEIGHT - 18);
}

function outlinePath(shares, highest, width) {
  const step = width / shares.length;
  let path = `M0 ${CHART_HEIGHT}`;
  shares.forEach((share, bin) => {
    const y = heightOf(share / highest).toFixed(1);
    path += `V${y}H${((bin + 1) * step).toFixed(1)}`;
  });
  return `${path}V${CHART_HEIGHT}Z`;
}

/** Buttons for the members of a group; those pressed are selected, all of them if none is. `lines` holds their looks, if any. */
function createGroup(group, lines, toggle) {
  const buttons = group.names.map((name, member) => {
    const count = make("span", { class: "count" });
    const line = lines[member];
    const button = make("button", { type: "button", "aria-pressed": "false" }, line ? drawSwatch(line.colour, line.dash) : null, line?.name ?? name, " ", count);
    button.addEventListener("click", () => toggle(group, member));
    return { button, count };
  });
  const node = make("div", { class: "group", role: "group", "aria-label": group.title }, make("span", { class: "title" }, group.title), ...buttons.map(({ button }) => button));
  return {
    node,
    draw(counted, members) {
      buttons.forEach(({ button, count }, member) => {
        button.setAttribute("aria-pressed", String(members?.has(member) ?? false));
        count.textContent = counted[member].toLocaleString("en");
      });
    },
  };
}

function formatNumber(number) {
  return number.toLocaleString("en").replace("-", "\u2212");
}
