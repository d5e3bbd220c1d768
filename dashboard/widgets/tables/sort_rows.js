/*
 * Sort the rows of a table by the column whose heading is chosen: numbers begin with the largest, words in the order of the
 * alphabet, and a second choice turns the order round. The table is the one whose region has the label `label`.
 */
const words = new Intl.Collator(undefined, { numeric: true });
const minusSigns = /−/gu;

function compareCells(one, other, isNumber) {
  if (!isNumber) return words.compare(one, other);
  const [a, b] = [one, other].map(text => Number.parseFloat(text.replaceAll(",", "").replace(minusSigns, "-")));
  return (Number.isNaN(b) ? -Infinity : b) - (Number.isNaN(a) ? -Infinity : a) || 0;
}

function sortRows(heading) {
  const [isNumber, column] = [heading.classList.contains("number"), heading.cellIndex];
  const [first, second] = isNumber ? ["descending", "ascending"] : ["ascending", "descending"];
  const order = heading.ariaSort === first ? second : first;
  for (const one of heading.parentElement.cells) one.ariaSort = one === heading ? order : null;
  const turn = order === first ? 1 : -1;
  const body = heading.closest("table").tBodies[0];
  const text = row => row.cells[column].textContent;
  body.append(...[...body.rows].toSorted((a, b) => turn * compareCells(text(a), text(b), isNumber)));
}

export default function listenToHeadings({ data }) {
  const listener = event => {
    const heading = event.target.closest?.(".numbers th:has(button)");
    if (heading?.closest(".numbers").ariaLabel === data.label) sortRows(heading);
  };
  document.addEventListener("click", listener);
  return () => document.removeEventListener("click", listener);
}
