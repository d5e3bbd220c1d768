/*
 * Sort the rows of a table by the column whose heading is chosen: numbers begin with the largest, words in the order of the
 * alphabet, and a second choice turns the order round. The table is the one whose region has the label `label`. Its order lasts
 * as long as the tab, for people who come back to it.
 */
const words = new Intl.Collator(undefined, { numeric: true });
const minusSigns = /−/gu;

function compareCells(one, other, isNumber) {
  if (!isNumber) return words.compare(one, other);
  const [a, b] = [one, other].map(text => Number.parseFloat(text.replaceAll(",", "").replace(minusSigns, "-")));
  return (Number.isNaN(b) ? -Infinity : b) - (Number.isNaN(a) ? -Infinity : a) || 0;
}

/** Return the order that the first choice of a heading means. */
const firstOrder = heading => heading.classList.contains("number") ? "descending" : "ascending";

function sortRows(heading, order) {
  const [isNumber, column] = [heading.classList.contains("number"), heading.cellIndex];
  for (const one of heading.parentElement.cells) one.ariaSort = one === heading ? order : null;
  const turn = order === firstOrder(heading) ? 1 : -1;
  const body = heading.closest("table").tBodies[0];
  const rows = [...body.rows];
  rows.forEach((row, at) => { row.dataset.at ??= at; }); // rows with equal cells keep the order that they came in
  const text = row => row.cells[column].textContent;
  body.append(...rows.toSorted((a, b) => turn * compareCells(text(a), text(b), isNumber) || a.dataset.at - b.dataset.at));
}

export default function listenToHeadings({ data }) {
  const slot = `${location.pathname}${location.search} ${data.label}`;
  const listener = event => {
    const heading = event.target.closest?.(".numbers th:has(button)");
    if (heading?.closest(".numbers").ariaLabel !== data.label) return;
    const first = firstOrder(heading);
    const order = heading.ariaSort !== first ? first : first === "ascending" ? "descending" : "ascending";
    sortRows(heading, order);
    sessionStorage.setItem(slot, JSON.stringify([heading.textContent, order]));
  };
  const [name, order] = JSON.parse(sessionStorage.getItem(slot) ?? "[]");
  const headings = [...document.querySelectorAll(".numbers th:has(button)")];
  const kept = headings.find(one => one.textContent === name && one.closest(".numbers").ariaLabel === data.label);
  if (kept) sortRows(kept, order);
  document.addEventListener("click", listener);
  return () => document.removeEventListener("click", listener);
}
